// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of any shape.
#pragma once

#include "../../testing/matrices.hpp"
#include "draw_numbers.hpp"

namespace heddle::test {

/// A pattern of up to some 30,000 nonzeros, an eighth of that on an emulated device: any shape;
/// empty, short, huge and equal rows; unsorted and repeated columns.
inline Pattern draw_pattern(Random& random) {
  const auto size = [&] {
    const std::int64_t largest[] = {3, 40, 300, 5000, 20000};
    return random.below(largest[random.below(5)] + 1);
  };
  const std::int64_t rows = size();
  const std::int64_t columns = random.below(3) == 0 ? rows : size();
  const std::int64_t mean = 1 + random.below(random.below(4) ? 8 : 80);
  const std::int64_t kind = random.below(5);
  const std::int64_t empty = random.below(3) ? 0 : 1 + random.below(9);
  const std::int64_t huge = random.below(3) ? 0 : 1 + random.below(columns + 1);
  const bool repeats = random.below(4) == 0, shuffled = random.below(4) == 0;
  Pattern pattern;
  pattern.columns = columns;
  pattern.name = std::to_string(rows) + " x " + std::to_string(columns) + ", rows of kind " +
                 std::to_string(kind) + " and about " + std::to_string(mean) +
                 (huge ? ", huge ones of " + std::to_string(huge) : "") +
                 (repeats ? ", repeated" : "") + (shuffled ? ", shuffled" : "");
  std::int64_t left = cut(30000);
  const std::int64_t stretch = 1 + random.below(50);
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t length = 0;
    switch (kind) {
      case 0: length = mean; break;
      case 1: length = random.below(2 * mean + 1); break;
      case 2: length = i / stretch % 2 ? mean : random.below(3); break;
      case 3: length = 1 + i % mean; break;
      default: length = mean / (1 + random.below(mean + 1)); break;
    }
    if (empty && i / stretch % (empty + 1)) length = 0;
    if (huge && random.below(rows) < 3) length = huge;
    length = std::max<std::int64_t>(0, std::min({length, columns, left}));
    // A row like the one before it; some kernels combine such rows.
    const bool like = i > 0 && kind == 2 && left > 3000 && random.below(4) > 0;
    if (!like) row = random_row(random, columns, length);
    if (repeats && !row.empty() && !like) row.push_back(row[row.size() / 2]);
    for (std::size_t k = 1; shuffled && !like && k < row.size(); ++k) {
      std::swap(row[k], row[static_cast<std::size_t>(random.below(static_cast<int>(k) + 1))]);
    }
    left = std::max<std::int64_t>(0, left - std::ssize(row));
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// Whether columns ascend in every row; repeats are allowed.
inline bool sorted(const Pattern& pattern) {
  for (const auto row : pattern.rows) {
    if (!std::is_sorted(row.begin(), row.end())) return false;
  }
  return true;
}

/// Whether no row has a column twice.
inline bool without_repeats(const Pattern& pattern) {
  std::vector<std::int32_t> columns;
  for (const auto row : pattern.rows) {
    columns.assign(row.begin(), row.end());
    std::sort(columns.begin(), columns.end());
    if (std::adjacent_find(columns.begin(), columns.end()) != columns.end()) return false;
  }
  return true;
}

}  // namespace heddle::test
