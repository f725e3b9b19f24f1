// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../random.hpp"
#include "rows.hpp"

namespace heddle::test {

/// Parameters of a matrix that matter to a product; after those by which Mpakos, Galanopoulos,
/// Anastasiadis, Papadopoulou, Koziris, Goumas (2023) generate matrices.
struct Irregular {
  std::int64_t rows = 0;
  std::int64_t mean = 0;  ///< mean number of entries of a row
  double variation = 0;   ///< standard deviation of the rows' lengths over their mean
  double longest = 1;     ///< longest row over the mean: one row in 1000 is between both
  double band = 1;        ///< width of the band of a row's entries, as a share of all columns
  std::int64_t run = 1;   ///< neighbouring columns that are set together
  double same = 0;        ///< share of rows that equal the row above, shifted by one column
};

inline Pattern irregular(const Irregular& of, Random& random) {
  RowWriter writer(of.rows, of.rows);
  const auto width = std::max<std::int64_t>(
      of.run, static_cast<std::int64_t>(of.band * static_cast<double>(of.rows)));
  const auto normal = [&random] {
    const double radius = std::sqrt(-2 * std::log1p(-random.unit()));
    return radius * std::cos(6.283185307179586 * random.unit());
  };
  const auto mean = static_cast<double>(of.mean);
  std::vector<std::int64_t> columns;
  for (std::int64_t row = 0; row < of.rows; ++row) {
    const bool repeats = random.unit() < of.same && !columns.empty();
    if (repeats) {
      for (std::int64_t& column : columns) ++column;
    } else {
      double length = std::max(0.0, mean * (1 + of.variation * normal()) + 0.5);
      if (random.below(1000) == 0)
        length = std::max(length, mean * std::pow(of.longest, random.unit()));
      columns.clear();
      // The band is shifted to stay inside the matrix.
      const std::int64_t begin =
          std::clamp<std::int64_t>(row - width / 2, 0, std::max<std::int64_t>(0, of.rows - width));
      for (auto left = static_cast<std::int64_t>(length); left > 0; left -= of.run) {
        const std::int64_t first = begin + random.below(width);
        for (std::int64_t k = 0; k < std::min(left, of.run); ++k) columns.push_back(first + k);
      }
    }
    for (const std::int64_t column : columns) writer.add(column);
    writer.end_row();
  }
  return writer.take();
}

}  // namespace heddle::test
