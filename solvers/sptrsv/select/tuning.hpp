// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "../../../backends/tags.hpp"
#include "../../../core/scheme.hpp"

namespace heddle::detail::sptrsv {

/// What a row costs beside its entries, in entries.
inline constexpr std::int64_t row_steps = 4;
/// Rows and entries of a triangle on a CPU from which its levels are looked for.
inline constexpr std::int64_t least_work = 50000;
/// By how much threads of a CPU must be predicted to be ahead of one: predictions are a fifth off
/// either way, and one thread leaves a processor to others.
inline constexpr double least_gain = 1.2;
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
/// Entries of the longest row from which that is never so: a lane, or a warp, takes too long for
/// it, and a group's pieces share it. docs/design/sptrsv.md.
inline constexpr std::int64_t long_row_entries = 2048;
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

/// Values of parameters that a scheme leaves out.
using Parameters = std::vector<std::pair<const char*, std::string>>;

/// How sptrsv/self-scheduled and sptrsv/level-set run on a GPU, by how many rows there are to a
/// level, and how many entries off the diagonal to a row: where levels are wide, a lane a row keeps
/// the device busy, and where they are narrow, more lanes make a row shorter. Fitted to 22
/// triangles on an H200: docs/design/sptrsv.md.
inline Parameters rows_shape(std::int64_t rows, std::int64_t entries, int levels) {
  const double row =
      static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, rows));
  const double level = static_cast<double>(rows) / std::max(1, levels);
  const auto shape = [](int lanes, int warps) -> Parameters {
    return {{"lanes", std::to_string(lanes)}, {"warps", std::to_string(warps)}};
  };
  if (level >= 2500) return shape(1, row < 4 ? 8 : 4);
  if (level >= 700) return shape(4, 8);
  if (row >= 7) return shape(32, level < 100 ? 8 : 16);
  return shape(4, level < 500 ? 4 : 8);
}

/// How sptrsv/in-order runs: guesses. Many warps, since rows that do not need each other may be far
/// apart in the user's order.
inline Parameters in_order_shape() {
  return {{"sw_rnnz", std::to_string(in_order_sw_rnnz)}, {"warps", "64"}};
}

/// How sptrsv/blocks runs, by the same figures: the longer the rows and the narrower the levels,
/// the more threads share a group, and where there are many groups, none waits for a large team's
/// barrier; where levels are wide, the bytes of inverses cost more than the steps that they save.
/// Fitted to 34 triangles on an H200: docs/design/sptrsv.md.
inline Parameters blocks_shape(std::int64_t rows, std::int64_t entries, int levels) {
  const double row =
      static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, rows));
  const double level = static_cast<double>(rows) / std::max(1, levels);
  const bool narrow = level < 120, wide = level >= 700;
  const char* team = "32";
  if (row >= 5) team = "64";
  if (narrow || (row >= 8 && !wide)) team = "128";
  return {{"merge", "parents"},
          {"threshold", row < 8 ? "4" : "2"},
          {"inner", level < widest_level_of_blocks ? "inverse" : "substitute"},
          {"piece", wide && row < 4 ? "4" : "8"},
          {"team", team},
          {"warps", narrow ? "8" : "16"},
          {"alpha", "inf"}};
}

/// A scheme with the parameters that it leaves out.
inline Scheme resolved(const Scheme& scheme, const Parameters& otherwise) {
  std::vector<SchemeTerm> terms{scheme.terms().front()};
  for (const auto& [key, value] : otherwise) {
    terms.emplace_back(key, scheme.has(key) ? scheme.value(key) : value);
  }
  return Scheme(scheme.format(), std::move(terms));
}

/// A scheme of a GPU with the parameters that it leaves out, for a triangle of so many rows,
/// entries off the diagonal and levels; of in-order these may be unknown.
inline Scheme concrete(const Scheme& scheme, std::int64_t rows, std::int64_t entries, int levels) {
  if (scheme.has("in-order")) return resolved(scheme, in_order_shape());
  if (scheme.has("blocks")) return resolved(scheme, blocks_shape(rows, entries, levels));
  return resolved(scheme, rows_shape(rows, entries, levels));
}

}  // namespace heddle::detail::sptrsv
