// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../random.hpp"
#include "rows.hpp"

namespace heddle::test {

/// Parameters of a triangle that matter to a triangular solve.
struct LeveledTriangle {
  std::int64_t rows = 0;
  std::int64_t levels = 1;    ///< number of levels, at most rows
  std::int64_t needed = 2;    ///< rows that a row needs, except in the first level
  std::int64_t distance = 1;  ///< from a row to the nearest one that it needs
  double taper = 0;           ///< 0: all levels have as many rows; 1: the last ones nearly none
  std::int64_t hubs = 0;      ///< rows that need a large share of those before them
};

/// A lower triangle with exactly that many levels in its level schedule. Rows form groups, in which
/// each level has `distance` consecutive rows: a row needs the one at its place in the level
/// before, and others of lower levels anywhere before it.
inline Pattern leveled_triangle(const LeveledTriangle& of, Random& random) {
  const std::int64_t levels =
      std::clamp<std::int64_t>(of.levels, 1, std::max<std::int64_t>(1, of.rows));
  const std::int64_t abreast =
      std::clamp<std::int64_t>(of.distance, 1, std::max<std::int64_t>(1, of.rows / levels));
  std::vector<std::int64_t> group_of, begin;  // one for each row; for each group
  for (std::int64_t row = 0; row < of.rows;) {
    const double kept = begin.empty() ? 1 : 1 - of.taper * random.unit();
    const auto depth =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(kept * static_cast<double>(levels)));
    begin.push_back(row);
    const std::int64_t end = std::min(of.rows, row + depth * abreast);
    group_of.insert(group_of.end(), static_cast<std::size_t>(end - row),
                    static_cast<std::int64_t>(begin.size()) - 1);
    row = end;
  }
  const auto first_of_group = [&](std::int64_t row) {
    return begin[static_cast<std::size_t>(group_of[static_cast<std::size_t>(row)])];
  };
  const auto level_of = [&](std::int64_t row) { return (row - first_of_group(row)) / abreast; };

  std::vector<std::int64_t> more(static_cast<std::size_t>(of.rows), 0);  // rows that hubs need
  double share = 0.2;
  for (std::int64_t hub = 0; hub < of.hubs; ++hub, share = std::max(0.001, share / 2)) {
    more[static_cast<std::size_t>(random.below(of.rows))] +=
        static_cast<std::int64_t>(share * static_cast<double>(of.rows));
  }
  RowWriter writer(of.rows, of.rows);
  for (std::int64_t row = 0; row < of.rows; ++row) {
    const std::int64_t level = level_of(row);
    if (level > 0) {
      writer.add(row - abreast);
      for (std::int64_t k = of.needed - 1 + more[static_cast<std::size_t>(row)]; k > 0; --k) {
        const std::int64_t drawn = random.below(row);
        const std::int64_t above = level_of(drawn);
        // The row at the same place of its group, at a lower level.
        writer.add(above < level ? drawn : drawn - (above - random.below(level)) * abreast);
      }
    }
    writer.add(row);
    writer.end_row();
  }
  return writer.take();
}

}  // namespace heddle::test
