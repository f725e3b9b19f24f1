// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "../../core/pinned_scheme.hpp"
#include "../ordered/choice.hpp"
#include "../sptrsv/select/tuning.hpp"
#include "options.hpp"

namespace heddle::detail::gauss_seidel {

/// The schemes of sweeps on a device.
///
///     sequential       one thread (CPU)
///     barrier          one launch a half sweep; a barrier after each stage of levels (CPU)
///     point-to-point   one launch a half sweep; a thread waits for those whose rows it needs (CPU)
///       grain=<n>        rows * 4 + entries of a level that are worth a thread
///     hand-over        one launch a half sweep; rows wait for the values that they need (GPU)
///       lanes=1|4|32     lanes a row
///       warps=4|..|64    warps that a multiprocessor runs at once
///     launches         a launch a level (GPU, and devices whose teams may not wait)
///     split            a product with one side, then a triangular solve with the other
inline SchemeGrammar grammar(const Device& device) {
  if (sptrsv::waits_on_lanes(device)) {
    const SchemeKey lanes("lanes", {"1", "4", "32"}, scheme_auto);
    const SchemeKey warps("warps", {"4", "8", "16", "32", "64"}, scheme_auto);
    return {"gauss-seidel", {{"hand-over", {}, {lanes, warps}}, {"launches"}, {"split"}}};
  }
  if (device.backend != BackendKind::host) return {"gauss-seidel", {{"launches"}, {"split"}}};
  const SchemeKey grain("grain", {"<n>"}, scheme_auto, {"1", "200"});
  const SchemeKey chain("chain", {"<n>"}, scheme_auto, {"40"});
  return {"gauss-seidel",
          {{"sequential"},
           {"barrier", {}, {grain, chain}},
           {"point-to-point", {}, {grain, chain}},
           {"split"}}};
}

/// Schemes of wavefronts have the same names for sweeps.
inline Scheme as_wavefronts(const Scheme& scheme) { return Scheme("wavefronts", scheme.terms()); }
inline Scheme as_gauss_seidel(const Scheme& scheme) {
  return Scheme("gauss-seidel", scheme.terms());
}

/// Predicted speed-up of threads over one thread from which threads are chosen, in the natural
/// order. The prediction was fitted to triangular solves; the order of levels scatters the three
/// vectors of a half sweep too, so two threads gained less by this factor
/// (docs/design/gauss-seidel.md).
inline constexpr double least_gain = 1.75;

/// The scheme that options pin, checked.
inline PinnedScheme pinned(const GaussSeidelOptions& options, const Device& device) {
  if (!options.scheme) return {};
  PinnedScheme asked = resolve_pinned(*options.scheme, device, &grammar);
  if (!asked.scheme) return asked;
  const Scheme& scheme = *asked.scheme;
  if (options.order != GaussSeidelOrder::natural && scheme.has("split")) {
    throw Error("scheme " + scheme.to_string() + " keeps the rows in their own order",
                "pin another, or leave out options.order");
  }
  if (options.block_size > 1 && (scheme.has("split") || scheme.has("hand-over"))) {
    throw Error("scheme " + scheme.to_string() + " has no blocks",
                "pin another, or leave out options.block_size");
  }
  return asked;
}

/// The scheme if none is pinned, chosen before levels are known; nullopt if the wavefronts of a CPU
/// choose (solvers/wavefronts/wavefronts.hpp).
inline std::optional<Scheme> choose(std::int64_t rows, std::int64_t entries,
                                    const GaussSeidelOptions& options, const Device& device) {
  const SchemeGrammar legal = grammar(device);
  const bool natural = options.order == GaussSeidelOrder::natural;
  const auto named = [](const char* name) { return Scheme("gauss-seidel", {{name}}); };
  if (sptrsv::waits_on_lanes(device)) {
    const bool hands_over = natural && options.block_size == 1;
    return resolve(named(hands_over ? "hand-over" : "launches"), std::span(&legal, 1));
  }
  if (device.backend != BackendKind::host) return named("launches");
  const int threads = options.threads > 0 ? options.threads : device.multiprocessors;
  const bool looks = threads > 1 && rows * sptrsv::row_steps + entries / 2 > sptrsv::least_work;
  if (looks) return std::nullopt;
  return named("sequential");
}

/// Schemes that can run sweeps on a device, the one that `chosen` names first; `chosen` is the
/// result of choose() if none is pinned. With `all`, every value of every parameter. Never split,
/// which borrows the user's arrays.
inline std::vector<RankedSolve> rank(const std::optional<Scheme>& chosen,
                                     const GaussSeidelOptions& options, const Device& device,
                                     bool all) {
  const char* const alone = chosen ? "one thread, or too little work for two"
                                   : "threads are predicted not to gain by levels";
  const std::pair<const char*, const char*> reasons[] = {
      {"hand-over", "rows wait for the values that they need"},
      {"launches", "a launch a level"},
      {"point-to-point", "a thread waits for those alone that it needs"},
      {"sequential", alone},
      {"barrier", "all threads wait where few need to"}};
  const SchemeGrammar legal = grammar(device);
  std::vector<RankedSolve> ranking;
  const auto add = [&](const Scheme& scheme, const char* reason) {
    if (options.block_size > 1 && scheme.has("hand-over")) return;
    add_new(ranking, scheme, reason);
  };
  const auto add_kernel = [&](const char* kernel, const char* reason) {
    const Scheme scheme("gauss-seidel", {{kernel}});
    const auto is = [&](const SchemeKernel& one) { return one.key.key == kernel; };
    if (std::any_of(legal.kernels.begin(), legal.kernels.end(), is)) add(scheme, reason);
  };
  for (const auto& [kernel, reason] : reasons) {
    if (chosen && chosen->has(kernel)) add_kernel(kernel, reason);
  }
  for (const auto& [kernel, reason] : reasons) add_kernel(kernel, reason);
  if (!all) return ranking;
  for (const Scheme& scheme : variants_of(legal)) {
    if (!scheme.has("split")) add(scheme, "another variant");
  }
  return ranking;
}

}  // namespace heddle::detail::gauss_seidel
