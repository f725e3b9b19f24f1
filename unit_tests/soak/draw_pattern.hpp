// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of any shape: of products, of triangles, and of square systems.
#pragma once

#include <limits>
#include <set>

#include "../../testing/matrices.hpp"
#include "../support/loops.hpp"
#include "../support/triangles.hpp"
#include "trial.hpp"

namespace heddle::test {

/// A pattern of up to some 30,000 nonzeros, an eighth of that on an emulated device: any shape;
/// empty, short, huge and equal rows; unsorted and repeated columns.
inline Pattern draw_pattern(Random& random) {
  const auto size = [&] {
    return random.below(one_of<std::int64_t>(random, {3, 40, 300, 5000, 20000}) + 1);
  };
  const std::int64_t rows = size(), columns = once_in(random, 3) ? rows : size();
  const std::int64_t mean = up_to<std::int64_t>(random, once_in(random, 4) ? 80 : 8);
  const std::int64_t kind = random.below(5), stretch = 1 + random.below(50);
  const std::int64_t empty = once_in(random, 3) ? 1 + random.below(9) : 0;
  const std::int64_t huge = once_in(random, 3) ? 1 + random.below(columns + 1) : 0;
  const bool repeats = once_in(random, 4), shuffled = once_in(random, 4);
  Pattern pattern{text(rows, " x ", columns, ", rows of kind ", kind, " and about ", mean,
                       huge ? text(", huge ones of ", huge) : "", repeats ? ", repeated" : "",
                       shuffled ? ", shuffled" : ""),
                  columns,
                  {}};
  std::int64_t left = cut(30000);
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t length = kind == 0   ? mean
                          : kind == 1 ? random.below(2 * mean + 1)
                          : kind == 2 ? (i / stretch % 2 ? mean : random.below(3))
                          : kind == 3 ? 1 + i % mean
                                      : mean / (1 + random.below(mean + 1));
    if (empty && i / stretch % (empty + 1)) length = 0;
    if (huge && random.below(rows) < 3) length = huge;
    length = std::max<std::int64_t>(0, std::min({length, columns, left}));
    // Some kernels combine rows that are equal.
    const bool like = i > 0 && kind == 2 && left > 3000 && random.below(4) > 0;
    if (!like) {
      row = random_row(random, columns, length);
      if (repeats && !row.empty()) row.push_back(row[row.size() / 2]);
      if (shuffled) shuffle(random, row);
    }
    left = std::max<std::int64_t>(0, left - std::ssize(row));
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// Whether columns ascend in every row; strictly, if they may not repeat.
inline bool sorted(const Pattern& pattern, bool strictly = false) {
  for (const auto row : pattern.rows) {
    for (std::size_t k = 1; k < row.size(); ++k) {
      if (row[k] < row[k - 1] + strictly) return false;
    }
  }
  return true;
}

/// A lower triangle of up to some 30,000 entries, the diagonal last in each row: bands, grids,
/// levels, blocks, rows that need near rows, far rows, or all.
inline Pattern draw_lower(Random& random) {
  const std::int64_t rows = random.below(one_of<std::int64_t>(random, {2, 40, 700, 4000}) + 1);
  const std::int64_t kind = random.below(8);
  const std::int64_t mean = up_to<std::int64_t>(random, once_in(random, 4) ? 60 : 6);
  const std::int64_t stretch = up_to<std::int64_t>(random, once_in(random, 2) ? 400 : 20);
  std::set<std::int64_t> distances;
  for (std::int64_t k = 0; k < 1 + mean / 2; ++k) distances.insert(1 + random.below(stretch));
  std::int64_t left = cut(30000);
  const auto some_of = [&](std::int64_t first, std::int64_t end, std::int64_t count) {
    auto row = random_row(random, end - first, std::min(end - first, count));
    for (std::int64_t& j : row) j += first;
    return row;
  };
  const auto columns = [&](std::int64_t i) {
    std::vector<std::int64_t> row;
    switch (kind) {
      case 0: break;
      case 1:  // a band
        for (const std::int64_t distance : distances) {
          if (distance <= i) row.insert(row.begin(), i - distance);
        }
        break;
      case 2:
        row = some_of(std::max<std::int64_t>(0, i - stretch), i, random.below(mean + 1));
        break;
      case 3: row = some_of(0, i, random.below(mean + 1)); break;
      case 4:  // a grid
        if (i >= stretch) row.push_back(i - stretch);
        if (i % stretch && stretch > 1) row.push_back(i - 1);
        break;
      case 5:  // levels of `stretch` rows
        if (const std::int64_t level = i / stretch * stretch; level > 0) {
          row = some_of(level - stretch, level, 1 + random.below(mean));
        }
        break;
      case 6:  // dense blocks
        for (std::int64_t j = i - i % std::min<std::int64_t>(stretch, 40); j < i; ++j) {
          row.push_back(j);
        }
        break;
      default: row = some_of(0, i, once_in(random, 40) ? i : random.below(3)); break;
    }
    if (std::ssize(row) > left) row.resize(static_cast<std::size_t>(left));
    left -= std::ssize(row);
    return row;
  };
  return lower_pattern(text("kind ", kind, ", about ", mean, " a row, stretches of ", stretch),
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
  const bool lower = drawn.triangle == Triangle::lower, unit = drawn.diagonal == Diagonal::unit;
  if (!lower) drawn.pattern = reversed(drawn.pattern);
  const bool repeats = once_in(random, 5), shuffled = once_in(random, 3);
  const std::int64_t n = drawn.pattern.columns;
  std::int64_t i = -1;
  drawn.pattern = with_rows_changed(drawn.pattern, [&](std::vector<std::int64_t>& row) {
    ++i;
    if (unit && once_in(random, 2)) std::erase(row, i);
    if (repeats && !row.empty()) row.push_back(one_of(random, row));
    const std::int64_t beyond = lower ? n - 1 - i : i;
    for (std::int64_t k = drawn.ignore_outside && beyond ? random.below(3) : 0; k > 0; --k) {
      const std::int64_t distance = 1 + random.below(beyond);
      row.push_back(lower ? i + distance : i - distance);
    }
    if (shuffled) shuffle(random, row);
  });
  drawn.pattern.name =
      text(n, " rows, ", lower ? "lower" : "upper", unit ? ", unit diagonal" : "",
           drawn.ignore_outside ? ", entries outside" : "", repeats ? ", repeated" : "",
           shuffled ? ", shuffled, " : ", ", drawn.pattern.name);
  return drawn;
}

/// One or two full rows, one or two full columns, or both: arrows, first or last, and stars.
inline Pattern draw_arrow(Random& random) {
  const std::int64_t n = 1 + random.below(cut(700));
  const std::int64_t full = std::min<std::int64_t>(n, 1 + random.below(2));
  const bool first = once_in(random, 2), has_rows = once_in(random, 2);
  const bool has_columns = !has_rows || once_in(random, 2);
  Pattern pattern{text(first ? "first " : "last ", full, has_rows ? " rows" : "",
                       has_columns ? " columns" : "", " full"),
                  n,
                  {}};
  const auto is_full = [&](std::int64_t i) { return first ? i < full : i >= n - full; };
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> row;
    for (std::int64_t j = 0; j < n; ++j) {
      if (i == j || (has_rows && is_full(i)) || (has_columns && is_full(j))) row.push_back(j);
    }
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// Rows that read rows before them and after them.
inline Pattern draw_full(Random& random) {
  const std::int64_t rows = random.below(one_of<std::int64_t>(random, {2, 50, 900, 3000}) + 1);
  return full_pattern(cut(rows), up_to<std::int64_t>(random, once_in(random, 4) ? 40 : 6),
                      random.bits());
}

/// A square pattern of at most `most_rows` rows, which read rows before them, after them, or both.
inline Pattern draw_square(Random& random,
                           std::int64_t most_rows = std::numeric_limits<std::int64_t>::max()) {
  while (true) {
    const std::int64_t kind = random.below(8);
    Pattern pattern = kind == 0  ? draw_arrow(random)
                      : kind < 3 ? draw_lower(random)
                      : kind < 5 ? reversed(draw_lower(random))
                                 : draw_full(random);
    if (std::ssize(pattern.rows) <= most_rows) return pattern;
  }
}

}  // namespace heddle::test
