// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "../../../core/scheme.hpp"
#include "tuning.hpp"

namespace heddle::detail::sptrsv {

/// Values of parameters that a scheme leaves out.
using Parameters = std::vector<std::pair<const char*, std::string>>;

/// How sptrsv/self-scheduled and sptrsv/level-set run on a GPU, by how many rows there are to a
/// level, and how many entries off the diagonal to a row: where levels are wide, a lane a row keeps
/// the device busy, and where they are narrow, more lanes make a row shorter. Fitted to 22
/// triangles on an H200: docs/sptrsv.md.
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
/// Fitted to 34 triangles on an H200: docs/sptrsv.md.
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
