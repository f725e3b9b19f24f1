// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../../../core/explain.hpp"
#include "triangle_features.hpp"

namespace heddle::detail::sptrsv {

/// SolveChoice::seen. Entries are those that a solve reads; levels are 0 where nobody looked.
[[gnu::cold]] inline std::string describe_triangle(std::int64_t rows, std::int64_t entries,
                                                   std::int64_t levels,
                                                   const TriangleFeatures* features) {
  std::string text = "  triangle: " + std::to_string(rows) + " rows, " + std::to_string(entries) +
                     " entries read; ";
  if (levels == 0) return text + "levels not looked for\n";
  text += std::to_string(levels) + " levels of " +
          number_text(static_cast<double>(rows) / static_cast<double>(levels)) +
          " rows in the mean";
  if (!features) return text + "\n";
  text += ", " + std::to_string(features->level_rows.max) + " at most; nearness of the rows that " +
          "are needed " + number_text(features->dep_dist) + "\n  ";
  const char* const widths[] = {"1 to 9", "10 to 99", "100 to 999", "1,000 to 9,999", "more"};
  for (std::size_t i = 0; i < features->levels_by_width.size(); ++i) {
    text += (i ? ", " : "levels of ") + std::string(widths[i]) +
            " rows: " + std::to_string(features->levels_by_width[i]);
  }
  text += "; of one row: " + std::to_string(features->chain_levels) + ", " +
          std::to_string(features->longest_chain) + " of them in turn; rows of " +
          std::to_string(TriangleFeatures::hub_entries_from) +
          " entries or more: " + std::to_string(features->hub_rows) + " in " +
          std::to_string(features->hub_levels) + " levels";
  return text + "\n";
}

}  // namespace heddle::detail::sptrsv
