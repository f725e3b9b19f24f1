// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "grammar.hpp"

namespace heddle::detail::sptrsv {

/// A scheme for a triangle of so many rows and entries off the diagonal, where none is pinned: by
/// what is known before its levels are. What a CPU really runs is left to the wavefronts of the
/// triangle, unless that is sequential: heddle::detail::wavefronts::choose.
inline Scheme choose(std::int64_t rows, std::int64_t entries, std::int64_t expected_applies,
                     const Device& device) {
  if (waits_on_lanes(device)) {
    return Scheme("sptrsv",
                  {{expected_applies < least_applies_of_blocks ? "self-scheduled" : "blocks"}});
  }
  if (device.backend != BackendKind::host) return Scheme("sptrsv", {{"level-set"}});
  const bool looks = device.multiprocessors > 1 && rows * row_steps + entries > least_work;
  return Scheme("sptrsv", {{looks ? "point-to-point" : "sequential"}});
}

/// The same once the levels are known: where they are wide and rows short, merging brings nothing,
/// and takes its time. Fitted to 39 triangles on an H200: docs/sptrsv.md.
inline Scheme choose_by_levels(const Scheme& scheme, std::int64_t rows, std::int64_t entries,
                               int levels) {
  const bool wide = rows >= widest_level_of_blocks * std::max(1, levels);
  const bool short_rows = entries < longest_row_left_alone * rows;
  return scheme.has("blocks") && wide && short_rows ? Scheme("sptrsv", {{"self-scheduled"}})
                                                    : scheme;
}

}  // namespace heddle::detail::sptrsv
