// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangles of any shape, and options of a plan that solves with them.
#pragma once

#include "../support/triangles.hpp"
#include "draw_numbers.hpp"

namespace heddle::test {

/// A lower triangle of up to some 30,000 entries, the diagonal last in each row: bands, grids,
/// levels, blocks, rows that need near rows, far rows, or all.
inline Pattern draw_lower(Random& random) {
  const std::int64_t sizes[] = {2, 40, 700, 4000};
  const std::int64_t rows = random.below(one_of(random, sizes) + 1);
  const std::int64_t kind = random.below(8);
  const std::int64_t mean = 1 + random.below(random.below(4) ? 6 : 60);
  const std::int64_t stretch = 1 + random.below(random.below(2) ? 20 : 400);
  std::vector<std::int64_t> distances;
  for (std::int64_t k = 0; k < 1 + mean / 2; ++k) distances.push_back(1 + random.below(stretch));
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  std::int64_t left = cut(30000);
  const auto columns = [&](std::int64_t i) {
    std::vector<std::int64_t> row;
    const auto add_near = [&](std::int64_t first, std::int64_t count) {  // some of first..i - 1
      row = random_row(random, i - first, std::min(i - first, count));
      for (std::int64_t& j : row) j += first;
    };
    switch (kind) {
      case 0: break;
      case 1:
        for (const std::int64_t distance : distances) {
          if (distance <= i) row.insert(row.begin(), i - distance);
        }
        break;
      case 2: add_near(std::max<std::int64_t>(0, i - stretch), random.below(mean + 1)); break;
      case 3: add_near(0, random.below(mean + 1)); break;
      case 4:  // a grid
        if (i >= stretch) row.push_back(i - stretch);
        if (i % stretch && stretch > 1) row.push_back(i - 1);
        break;
      case 5:  // levels of that width
        if (i >= stretch) {
          row = random_row(random, stretch, std::min(stretch, 1 + random.below(mean)));
          for (std::int64_t& j : row) j += (i / stretch - 1) * stretch;
        }
        break;
      case 6:  // dense blocks
        for (std::int64_t j = i - i % std::min<std::int64_t>(stretch, 40); j < i; ++j) {
          row.push_back(j);
        }
        break;
      default: add_near(0, once_in(random, 40) ? i : random.below(3)); break;
    }
    if (std::ssize(row) > left) row.resize(static_cast<std::size_t>(left));
    left -= std::ssize(row);
    return row;
  };
  return lower_pattern("kind " + std::to_string(kind) + ", about " + std::to_string(mean) +
                           " a row, stretches of " + std::to_string(stretch),
                       rows, columns);
}

/// Options of a triangular solve, and a matrix for it.
struct DrawnTriangle {
  Pattern pattern;
  Triangle triangle;
  Diagonal diagonal;
  bool ignore_outside;
};

inline DrawnTriangle draw_triangle(Random& random) {
  DrawnTriangle drawn{draw_lower(random), once_in(random, 2) ? Triangle::upper : Triangle::lower,
                      once_in(random, 4) ? Diagonal::unit : Diagonal::stored, once_in(random, 3)};
  if (drawn.triangle == Triangle::upper) drawn.pattern = reversed(drawn.pattern);
  const bool unit = drawn.diagonal == Diagonal::unit;
  const bool repeats = once_in(random, 5), shuffled = once_in(random, 3);
  const std::int64_t n = drawn.pattern.columns;
  std::int64_t i = -1;
  drawn.pattern = with_rows_changed(drawn.pattern, [&](std::vector<std::int64_t>& row) {
    ++i;
    if (unit && once_in(random, 2)) std::erase(row, i);
    if (repeats && !row.empty()) row.push_back(one_of(random, row));
    const std::int64_t beyond = drawn.triangle == Triangle::lower ? n - 1 - i : i;
    for (std::int64_t k = drawn.ignore_outside && beyond ? random.below(3) : 0; k > 0; --k) {
      const std::int64_t distance = 1 + random.below(beyond);
      row.push_back(drawn.triangle == Triangle::lower ? i + distance : i - distance);
    }
    for (std::size_t k = 1; shuffled && k < row.size(); ++k) {
      std::swap(row[k], row[static_cast<std::size_t>(random.below(static_cast<int>(k) + 1))]);
    }
  });
  drawn.pattern.name =
      std::to_string(n) + " rows, " + (drawn.triangle == Triangle::lower ? "lower" : "upper") +
      (unit ? ", unit diagonal" : "") + (drawn.ignore_outside ? ", entries outside" : "") +
      (repeats ? ", repeated" : "") + (shuffled ? ", shuffled, " : ", ") + drawn.pattern.name;
  return drawn;
}

}  // namespace heddle::test
