// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "grammar.hpp"

namespace heddle::detail::sptrsv {

/// A scheme for a triangle, by its number of rows and of entries off the diagonal, where none is
/// pinned: by what is known before its levels are. What a CPU really runs is left to the wavefronts
/// of the triangle, unless that is sequential: solvers/wavefronts/choose.hpp. `threads` are those
/// that a CPU's solve is to be scheduled for, if the caller says so.
inline Scheme choose(std::int64_t rows, std::int64_t entries, std::int64_t expected_applies,
                     const Device& device, int threads = 0) {
  if (waits_on_lanes(device)) {
    return Scheme("sptrsv",
                  {{expected_applies < least_applies_of_blocks ? "self-scheduled" : "blocks"}});
  }
  if (device.backend != BackendKind::host) return Scheme("sptrsv", {{"level-set"}});
  const int at_once = threads > 0 ? threads : device.multiprocessors;
  const bool looks = at_once > 1 && rows * row_steps + entries > least_work;
  return Scheme("sptrsv", {{looks ? "point-to-point" : "sequential"}});
}

/// The same once it is known where levels begin: where most of them are wide and rows are short,
/// merging gains too little for the time that it takes, and where levels are few as well, rows may
/// as well be taken in the user's order. For one right-hand side. Fitted to 39 triangles on an
/// H200: docs/sptrsv.md.
inline Scheme choose_by_levels(const Scheme& scheme, const std::vector<std::int64_t>& level_begin,
                               std::int64_t entries, int vectors) {
  const std::size_t levels = level_begin.size() - 1;
  if (!scheme.has("blocks") || vectors > 1 || levels == 0) return scheme;
  std::size_t wide = 0;
  for (std::size_t l = 0; l < levels; ++l) {
    wide += level_begin[l + 1] - level_begin[l] >= widest_level_of_blocks ? 1 : 0;
  }
  const bool short_rows = entries < longest_row_left_alone * level_begin.back();
  if (2 * wide <= levels || !short_rows) return scheme;
  return Scheme("sptrsv", {{levels <= few_levels ? "in-order" : "self-scheduled"}});
}

}  // namespace heddle::detail::sptrsv
