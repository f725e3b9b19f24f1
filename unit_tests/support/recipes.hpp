// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of the library of inspectors.
#pragma once

#include "../../formats/recipes.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/format_suite/check.hpp"
#include "../../testing/plan_types.hpp"

namespace heddle::test {

using namespace heddle::recipe;

#if defined(HEDDLE_SANITIZED_TESTS) || defined(HEDDLE_EMULATED)
using RecipeTypes = std::tuple<Types<DefaultDevice, double, Indices32>>;
#else
using RecipeTypes = JoinTuples<
    std::tuple<Types<DefaultDevice, double, Indices32>>,
    InTurn<
        Types<Portable<Kokkos::DefaultExecutionSpace>, double, Indices<std::int32_t, std::size_t>>,
        Types<DefaultDevice, Kokkos::complex<float>, Indices<std::int64_t, std::int64_t>>>>;
#endif

inline Pattern reversed(const Pattern& pattern) {
  Pattern all{pattern.name + ", columns descending", pattern.columns, {}};
  for (const auto row : pattern.rows) {
    all.rows.push_back(std::vector<std::int64_t>(row.rbegin(), row.rend()));
  }
  return all;
}

inline std::vector<Pattern> recipe_patterns() {
  std::vector<Pattern> all = test_patterns();
  all.push_back(reversed(random_pattern("irregular", 5, 300, 400,
                                        [](std::int64_t i) { return i == 70 ? 380 : i % 40; })));
  // Row 100 begins a panel of 100 rows, with the keys of row 99; rows 0, 200 and 201 are empty, and
  // begin panels of 100 or 201 rows.
  std::int64_t i = 0;
  all.push_back(with_rows_changed(
      banded_pattern("diagonals, empty rows", 450, 450, {-70, -1, 0, 1, 2, 80}), [&](auto& row) {
        if (i == 0 || i == 200 || i == 201) row.clear();
        ++i;
      }));
  i = 0;  // a single lane, never the first of its subwarp, whatever panel its row is in
  all.push_back(
      with_rows_changed(banded_pattern("one row descends", 200, 200, {-2, 0, 1}), [&](auto& row) {
        if (i++ == 101) std::ranges::reverse(row);
      }));
  for (const bool row : {false, true}) {
    for (const bool column : {false, true}) {
      if (row || column) all.push_back(crossed_pattern(cut(9000), cut(9000), row, column));
    }
  }
  return all;
}

/// Records the source of each place, and its position in the block.
struct PutAll {
  std::int64_t* sources;
  std::int64_t* inner;

  KOKKOS_FUNCTION void operator()(std::int64_t place, const Point& point, std::int64_t k) const {
    sources[place] = k;
    inner[place] = point.inner_row * 100000 + point.inner_column;
  }
};

}  // namespace heddle::test
