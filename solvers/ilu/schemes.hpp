// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>

#include "../../core/pinned_scheme.hpp"
#include "options.hpp"

namespace heddle::detail::ilu {

inline constexpr int default_sweeps = 5;

/// The schemes of a factorization on a device; `name` is ilu or ic.
///
///     sequential         one thread, in the order of the rows (CPU)
///     barrier            one launch; all threads wait for each other after each stage (CPU)
///     point-to-point     one launch; a thread waits for those whose rows it needs (CPU)
///       grain=<n>          rows * 4 + lower entries of a level that are worth a thread
///     hand-over          one launch, a warp a row, level by level; a row waits for those that it
///                        needs (GPU)
///     launches           a launch for each level (other devices)
///     sweeps             not exact: fixed-point sweeps, all rows at once
///       count=<n>          the number of sweeps
///     and for each of them
///       updates=listed     the inspection lists the common columns of rows that are multiplied
///       updates=searched   each factorization searches for them
inline SchemeGrammar grammar(const char* name, const Device& device) {
  const SchemeKey updates("updates", {"listed", "searched"}, scheme_auto);
  const SchemeKey count("count", {"<n>"}, std::to_string(default_sweeps), {"2"});
  const SchemeKernel sweeps("sweeps", {}, {count});
  if (device.has_lanes() && device.waits_make_progress) {
    return {name, {{"hand-over"}, sweeps}, {updates}};
  }
  if (device.backend != BackendKind::host) return {name, {{"launches"}, sweeps}, {updates}};
  const SchemeKey grain("grain", {"<n>"}, scheme_auto, {"1", "200"});
  const SchemeKey chain("chain", {"<n>"}, scheme_auto, {"40"});
  return {name,
          {{"sequential"},
           {"barrier", {}, {grain, chain}},
           {"point-to-point", {}, {grain, chain}},
           sweeps},
          {updates}};
}

/// The scheme of a factorization that options pin.
struct AskedScheme {
  PinnedScheme pinned;
  std::string updates = scheme_auto;

  AskedScheme(const IluOptions& options, const char* name, const Device& device) {
    if (!options.scheme) return;
    pinned = resolve_pinned(*options.scheme, device,
                            [&](const Device& one) { return grammar(name, one); });
    if (scheme() && scheme()->has("updates")) updates = scheme()->value("updates");
    for (const SchemeTerm& term : pinned.rest) {
      if (term.key == "updates") updates = term.value;
    }
  }
  const std::optional<Scheme>& scheme() const { return pinned.scheme; }
  /// Number of sweeps; 0: an exact factorization.
  std::int64_t sweeps() const {
    return scheme() && scheme()->has("sweeps") ? scheme()->integer("count") : 0;
  }
};

/// The scheme of the wavefronts that run a factorization.
inline Scheme of_wavefronts(const Scheme& scheme) {
  std::vector<SchemeTerm> terms = scheme.terms();
  std::erase_if(terms, [](const SchemeTerm& term) { return term.key == "updates"; });
  return Scheme("wavefronts", std::move(terms));
}
/// The scheme that runs: a kernel with its own parameters, and how updates are found.
inline Scheme with_updates(const char* name, const Scheme& kernel, bool listed) {
  std::vector<SchemeTerm> terms = of_wavefronts(kernel).terms();
  terms.insert(terms.begin() + 1, SchemeTerm("updates", listed ? "listed" : "searched"));
  return Scheme(name, std::move(terms));
}

}  // namespace heddle::detail::ilu
