// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>

#include "features.hpp"

namespace heddle {

/// Statistics of counts over rows or over levels. All are 0 if there are none.
struct Spread {
  double mean = 0;
  std::int64_t max = 0;
  /// Coefficient of variation: standard deviation over mean.
  double variation = 0;
};

/// Features of a triangle that determine the speed of triangular solves. Entries are those that a
/// solve reads: each off-diagonal entry as often as it is stored, and one diagonal entry for each
/// row, even if the diagonal is an implied one. All are 0 for a triangle without rows. Levels:
/// docs/design/sptrsv.md.
///
/// Source: Z. Hu et al., "AG-SpTRSV: an automatic framework to optimize sparse triangular solve on
/// GPUs", TACO 2024, for the choice of features and the definition of dep_dist.
struct TriangleFeatures {
  static constexpr std::int64_t wide_level = 1000;       ///< rows
  static constexpr std::int64_t hub_entries_from = 100;  ///< entries of a hub row

  std::int64_t rows = 0;
  std::int64_t entries = 0;
  Spread row_entries;  ///< entries of a row
  std::int64_t levels = 0;
  Spread level_rows;             ///< rows of a level
  Spread level_entries;          ///< entries of a level
  std::int64_t wide_levels = 0;  ///< levels of at least wide_level rows
  /// Number of levels of 1 to 9 rows, 10 to 99, 100 to 999, 1,000 to 9,999, and 10,000 or more.
  std::array<std::int64_t, 5> levels_by_width = {};
  std::int64_t chain_levels = 0;   ///< levels of one row
  std::int64_t longest_chain = 0;  ///< most chain levels in succession
  std::int64_t hub_rows = 0;       ///< rows of at least hub_entries_from entries
  std::int64_t hub_entries = 0;    ///< entries of the hub rows
  std::int64_t hub_levels = 0;     ///< levels with a hub row: bounds the hubs on a path
  /// Mean over rows of 1 / (distance to the nearest row that the row depends on), 0 for a row that
  /// depends on none. Near 1, rows depend on their neighbours. Each term is rounded to 2^-32.
  double dep_dist = 0;
  /// Number of rows that depend on the rows that the row before them depends on, in the same order,
  /// and on that row. Counted on CPUs only, whose schemes use it; elsewhere 0.
  std::int64_t shared_rows = 0;
};

/// Calls show(name, value, unit) for each feature; value is std::int64_t or double.
template <class Show>
void visit_features(const TriangleFeatures& features, const Show& show) {
  const auto spread = [&](const std::string& of, const Spread& figures, const char* unit) {
    show("mean_" + of, figures.mean, unit);
    show("max_" + of, figures.max, unit);
    show("cv_" + of, figures.variation, "");
  };
  show("rows", features.rows, "");
  show("entries", features.entries, "");
  spread("row", features.row_entries, "entries");
  show("levels", features.levels, "");
  spread("level_rows", features.level_rows, "rows");
  spread("level_entries", features.level_entries, "entries");
  show("wide_levels", features.wide_levels, "");
  std::int64_t width = 1;
  for (const std::int64_t levels : features.levels_by_width) {
    show("levels_from_" + std::to_string(width), levels, "");
    width *= 10;
  }
  show("chain_levels", features.chain_levels, "");
  show("longest_chain", features.longest_chain, "levels");
  show("hub_rows", features.hub_rows, "");
  show("hub_entries", features.hub_entries, "");
  show("hub_levels", features.hub_levels, "");
  show("dep_dist", features.dep_dist, "");
  show("shared_rows", features.shared_rows, "");
}

/// Prints one feature on each line, with its unit.
inline std::ostream& operator<<(std::ostream& out, const TriangleFeatures& features) {
  detail::print_features(out, features);
  return out;
}

}  // namespace heddle
