// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../../backends/tags.hpp"

namespace heddle::detail::sptrsv {

/// What a row costs beside its entries, in entries.
inline constexpr std::int64_t row_steps = 4;
/// Rows and entries of a triangle on a CPU from which its levels are looked for.
inline constexpr std::int64_t least_work = 50000;
/// Solves from which rows are merged on a GPU: the fewer levels, the less a solve gains by it.
/// Fitted to 39 triangles on an H200: docs/design/sptrsv.md.
inline std::int64_t least_applies_of_blocks(std::int64_t levels) {
  return 25 + std::min<std::int64_t>(700, 16000 / std::max<std::int64_t>(1, levels));
}
/// Rows a level from which inverses do not pay on a GPU; nor merging, where rows have fewer entries
/// off the diagonal than the second number.
inline constexpr std::int64_t widest_level_of_blocks = 1000;
inline constexpr std::int64_t longest_row_left_alone = 5;
/// Entries of a level, in the mean, from which that is so of longer rows too.
inline constexpr double fullest_level_of_blocks = 10000;
/// Levels up to which rows are solved in the user's order then.
inline constexpr std::int64_t few_levels = 8;
/// sw_rnnz of in-order where it is left out: a guess.
inline constexpr std::int64_t in_order_sw_rnnz = 8;
/// TriangleFeatures::dep_dist below which rows are solved in the user's order as well, if none has
/// more entries off the diagonal than that. docs/design/sptrsv.md.
inline constexpr double in_order_max_dep_dist = 0.005;
/// Threads of a team on a GPU whose warps take a task each.
inline constexpr int team_threads = 128;
/// Warps that a multiprocessor of a GPU runs at once in a solve without a plan: a guess; the
/// plan's number for wide levels, which are those that a lane a row suits.
inline constexpr int warps_without_plan = 8;
/// Right-hand sides that a GPU's kernel holds in registers.
inline constexpr int vectors_at_once = 4;
/// Right-hand sides of one pass.
inline constexpr int most_vectors = 64;

/// Columns of a group's inverted block whose residuals are taken at once. NVIDIA's registers hold
/// all; AMD's compiler keeps a condition for each in scalar registers, which are fewer.
template <class Tag>
inline constexpr int columns_checked_at_once = 4;
template <>
inline constexpr int columns_checked_at_once<backends::Cuda> = 32;

}  // namespace heddle::detail::sptrsv
