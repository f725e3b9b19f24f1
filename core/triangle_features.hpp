// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>

#include "features.hpp"

namespace heddle {

/// What is counted of many like things: of rows, or of levels. All 0 where there are none.
struct Spread {
  double mean = 0;
  std::int64_t max = 0;
  /// Coefficient of variation: standard deviation over mean.
  double variation = 0;
};

/// The features of a triangle that triangular solves depend on. Entries are those that a solve
/// reads: each entry off the diagonal as often as it is stored, and one diagonal entry for each
/// row, stored or one. All are 0 for a triangle without rows. Levels:
/// docs/design/sptrsv-schemes.md.
///
/// Source: Z. Hu et al., "AG-SpTRSV: an automatic framework to optimize sparse triangular solve on
/// GPUs", TACO 2024, for the choice of figures, and dep_dist as it is defined there.
struct TriangleFeatures {
  static constexpr std::int64_t wide_level = 1000;       ///< rows
  static constexpr std::int64_t hub_entries_from = 100;  ///< entries of a row that is a hub

  std::int64_t rows = 0;
  std::int64_t entries = 0;
  Spread row_entries;  ///< of rows
  std::int64_t levels = 0;
  Spread level_rows;             ///< of levels
  Spread level_entries;          ///< of levels
  std::int64_t wide_levels = 0;  ///< levels of at least wide_level rows
  /// Levels of 1 to 9 rows, of 10 to 99, of 100 to 999, of 1,000 to 9,999, and of more.
  std::array<std::int64_t, 5> levels_by_width = {};
  std::int64_t chain_levels = 0;   ///< levels of one row
  std::int64_t longest_chain = 0;  ///< of these, the most that follow each other
  std::int64_t hub_rows = 0;       ///< rows of at least hub_entries_from entries
  std::int64_t hub_entries = 0;    ///< entries of these
  std::int64_t hub_levels = 0;     ///< levels that have one: so many hubs at most wait in turn
  /// The mean over rows of 1 / (how far the nearest row lies that a row needs), 0 of one that needs
  /// none: near 1, rows need their neighbours. Each term is rounded to 2^-32.
  double dep_dist = 0;
  /// Rows that need what the row before them needs, in the same order, and that row. Of CPUs alone,
  /// whose schemes depend on it; elsewhere 0.
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

/// One feature a line, with its unit.
inline std::ostream& operator<<(std::ostream& out, const TriangleFeatures& features) {
  detail::print_features(out, features);
  return out;
}

}  // namespace heddle
