// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

/// A picture of the pattern of a matrix, small enough for a results file.
struct PatternPicture {
  /// The matrix as at most 64 x 64 cells, one string for each line of cells: ' ' for a cell without
  /// entries, else '9' if more than a quarter of its places hold one, and one less for each factor
  /// of four, down to '1'.
  std::vector<std::string> lines;
  /// Numbers of rows with 0, 1, 2 to 3, 4 to 7, ... entries, up to the longest row.
  std::vector<std::int64_t> row_lengths;
};

inline char shade(std::int64_t entries, double places) {
  if (entries == 0) return ' ';
  const double share = std::min(1.0, static_cast<double>(entries) / places);
  const int steps = static_cast<int>(std::floor(-0.5 * std::log2(share)));
  return static_cast<char>('0' + std::clamp(9 - std::max(0, steps), 1, 9));
}

/// The picture of a CSR matrix on the host. Cells have equal size up to rounding; a matrix with
/// fewer than 64 rows or columns has one line or column of cells for each.
template <class Matrix>
PatternPicture picture_of(const Matrix& A) {
  constexpr std::int64_t most_cells = 64;
  const std::int64_t rows = A.rows(), columns = A.columns();
  const std::int64_t lines = std::min(most_cells, rows), width = std::min(most_cells, columns);
  std::vector<std::int64_t> entries(static_cast<std::size_t>(lines * width), 0);
  PatternPicture picture;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto begin = static_cast<std::int64_t>(A.row_ptr()(i));
    const auto end = static_cast<std::int64_t>(A.row_ptr()(i + 1));
    const auto bin =
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(end - begin)));
    if (picture.row_lengths.size() <= bin) picture.row_lengths.resize(bin + 1, 0);
    ++picture.row_lengths[bin];
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t column = std::int64_t{A.col_idx()(k)} * width / columns;
      ++entries[static_cast<std::size_t>(i * lines / rows * width + column)];
    }
  }
  if (width == 0) return picture;
  const double places = static_cast<double>(rows) / static_cast<double>(lines) *
                        static_cast<double>(columns) / static_cast<double>(width);
  for (std::int64_t line = 0; line < lines; ++line) {
    std::string cells;
    for (std::int64_t column = 0; column < width; ++column) {
      cells += shade(entries[static_cast<std::size_t>(line * width + column)], places);
    }
    picture.lines.push_back(cells);
  }
  return picture;
}

}  // namespace heddle::bench
