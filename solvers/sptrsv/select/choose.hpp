// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "grammar.hpp"

namespace heddle::detail::sptrsv {

/// A scheme for a triangle of so many rows and entries off the diagonal, where none is pinned: by
/// what is known before its levels are. The rules and the measurements behind them: docs/sptrsv.md.
inline Scheme choose(std::int64_t rows, std::int64_t entries, const Device& device) {
  if (waits_on_lanes(device)) return Scheme("sptrsv", {{"self-scheduled"}});
  if (device.backend != BackendKind::host) return Scheme("sptrsv", {{"level-set"}});
  const bool worth_threads = device.multiprocessors > 1 && rows * row_steps + entries > least_work;
  return Scheme("sptrsv", {{worth_threads ? "level-set" : "sequential"}});
}

/// The scheme with every parameter that it leaves out, on a GPU. (On a CPU the executor says what
/// it takes for `thin`.)
inline Scheme resolved(const Scheme& scheme, std::int64_t rows, std::int64_t entries,
                       const Device& device) {
  if (!waits_on_lanes(device)) return scheme;
  const double mean =
      static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, rows));
  std::vector<SchemeTerm> terms{scheme.terms().front()};
  if (scheme.has("lanes")) {
    terms.emplace_back("lanes", scheme.value("lanes"));
  } else {
    terms.emplace_back("lanes", mean < entries_for_a_warp ? "1" : "32");
  }
  terms.emplace_back("warps", scheme.has("warps") ? scheme.value("warps") : std::to_string(warps));
  return Scheme(scheme.format(), std::move(terms));
}

}  // namespace heddle::detail::sptrsv
