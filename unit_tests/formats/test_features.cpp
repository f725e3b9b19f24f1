// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of rows and of patterns against serial counts, and what is wrong with a matrix.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <sstream>

#include "../../formats/inspect/features.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"
#include "../support/error_of.hpp"

namespace heddle::test {

namespace {

using EveryIndex = Every<std::tuple<double>>;
using EveryBackend = Every<std::tuple<double>, UsualIndices>;

template <class T>
auto stored(const Pattern& pattern) {
  return make_matrix<double, typename T::Ordinal, typename T::Offset>(pattern)
      .template copy_to<typename T::Space>(typename T::Exec());
}

/// The text of the error of a check.
std::string message(const std::function<void()>& act) { return error_of(act).what(); }

/// Slices of 32 rows whose columns span 16 bits or more, repeats, and a huge row, beside the rest.
std::vector<Pattern> feature_patterns() {
  std::vector<Pattern> all = test_patterns(21);
  all.push_back(random_pattern("equal", 5, 3001, 100, [](std::int64_t) { return 7; }));
  all.push_back({"repeated", 3, {{0, 0, 0, 0, 1}, {2, 2}, {}, {0, 0}}});
  all.push_back({"unsorted", 3, {{2, 0}}});
  // Rows of the columns of the row above, moved by one: unsorted, repeated, and with others
  // between.
  Pattern moved{"moved by one", 110, {}};
  for (int i = 0; i < 100; ++i) {
    std::vector<int> row{i + 5, i, i + 2, i + 2};
    if (i % 37 == 20) row = {i, i + 9};
    if (i % 37 == 30) row = {};
    if (i == 99) row[0] = 0;
    moved.rows.push_back(row);
  }
  all.push_back(moved);
  std::vector<std::int64_t> two_columns(500000, 7);
  std::fill_n(two_columns.begin(), 200000, 6);
  all.push_back({"huge row", 100000, {{}, two_columns, {}}});
  Pattern wide{"narrow, wide, narrow, wide", 65536, {}};
  const std::vector<int> first{0}, second{1}, last{65535}, last_but_one{65534}, both{0, 65535};
  const std::vector<int> none;
  for (const auto& [top, bottom] : {std::pair(first, last_but_one), std::pair(first, last),
                                    std::pair(last, second), std::pair(both, none)}) {
    wide.rows.push_back(top);
    wide.rows.push_back(none, 30);
    wide.rows.push_back(bottom);
  }
  all.push_back(wide);
  return all;
}

/// 700 rows of up to seven entries, and their storage on the host.
template <class T>
auto plain_storage() {
  return make_matrix<double, typename T::Ordinal, typename T::Offset>(
      random_pattern("plain", 9, 700, 100, [](std::int64_t i) { return i % 8; }));
}

/// The slots of rows that are padded to the longest of each group.
std::int64_t slots_of(const Pattern& pattern, std::size_t group) {
  std::int64_t slots = 0;
  for (std::size_t first = 0; first < pattern.rows.size(); first += group) {
    std::size_t widest = 0;
    for (std::size_t i = first; i < std::min(first + group, pattern.rows.size()); ++i) {
      widest = std::max(widest, pattern.rows[i].size());
    }
    slots += static_cast<std::int64_t>(group * widest);
  }
  return slots;
}

/// Features of a pattern by their definitions, one entry after another.
void check_against_serial(const PatternFeatures& features, const Pattern& pattern) {
  std::int64_t lower = 0, upper = 0;
  bool sorted = true;
  std::set<std::int64_t> diagonals;
  const auto rows = static_cast<std::int64_t>(pattern.rows.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = pattern.rows[static_cast<std::size_t>(i)];
    sorted = sorted && std::is_sorted(row.begin(), row.end());
    for (const std::int64_t j : row) {
      lower = std::max(lower, i - j);
      upper = std::max(upper, j - i);
      diagonals.insert(j - i);
    }
  }
  std::int64_t narrow = 0;
  for (std::int64_t first = 0; first < rows; first += 32) {
    std::set<std::int64_t> columns{};
    for (std::int64_t i = first; i < std::min(rows, first + 32); ++i) {
      const auto& row = pattern.rows[static_cast<std::size_t>(i)];
      columns.insert(row.begin(), row.end());
    }
    narrow += columns.empty() || *columns.rbegin() - *columns.begin() < 65535;
  }
  if (features.nonzeros > 0) CHECK(features.narrow_slices == (sorted ? narrow : -1));
  if (!sorted) CHECK(features.narrow_slice_share() == -1);
  CHECK(features.lower_bandwidth == lower);
  CHECK(features.upper_bandwidth == upper);
  CHECK(features.diagonals == static_cast<std::int64_t>(diagonals.size()));
  CHECK(features.sorted == sorted);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("row features agree with a serial count", T, row_counts) {
  using Exec = typename T::Exec;
  const Exec exec;
  for (const Pattern& pattern : feature_patterns()) {
    CAPTURE(pattern.name);
    const auto storage = stored<T>(pattern);
    const RowFeatures features = row_features(exec, storage.matrix(), Check::columns);
    for (const int group : {1, 2, 4, 8, 16, 32, 64, 128}) {
      const bool counted = group <= 32 || backends::max_subwarp_width<Exec> > 32;
      const std::int64_t slots = slots_of(pattern, static_cast<std::size_t>(group));
      CHECK(features.slots_of_groups(group) == (counted ? slots : 0));
      if (group == 32) CHECK(features.slice_slots == slots);
    }
    std::int64_t shortest = pattern.rows.empty() ? 0 : 1 << 30, longest = 0, empty = 0;
    long double squares = 0;
    const auto rows = static_cast<long double>(pattern.rows.size());
    const long double mean =
        pattern.rows.empty() ? 0 : static_cast<long double>(pattern.nonzeros()) / rows;
    for (const auto& row : pattern.rows) {
      const auto length = static_cast<std::int64_t>(row.size());
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
      empty += length == 0;
      const long double from_mean = static_cast<long double>(length) - mean;
      squares += from_mean * from_mean;
    }
    const auto variance = pattern.rows.empty() ? 0 : static_cast<double>(squares / rows);
    CHECK(features.rows == static_cast<std::int64_t>(pattern.rows.size()));
    CHECK(features.columns == pattern.columns);
    CHECK(features.nonzeros == pattern.nonzeros());
    CHECK(features.shortest_row == shortest);
    CHECK(features.longest_row == longest);
    CHECK(features.empty_rows == empty);
    CHECK(features.mean_row() == doctest::Approx(static_cast<double>(mean)));
    CHECK(features.row_variance == doctest::Approx(variance));
    if (shortest == longest) CHECK(features.row_variance == 0);
    if (pattern.nonzeros() > 0) {
      CHECK(features.row_variation() ==
            doctest::Approx(std::sqrt(variance) / static_cast<double>(mean)));
      CHECK(features.density() * static_cast<double>(pattern.columns) ==
            doctest::Approx(features.mean_row()));
    }
    CHECK(row_features(exec, storage.matrix()).row_variance == features.row_variance);
    CHECK_NOTHROW(check_columns(exec, storage.matrix()));
    CHECK_NOTHROW(check_csr(exec, storage.matrix()));
  }
}
TEST_CASE_TEMPLATE_APPLY(row_counts, EveryIndex);

TEST_CASE_TEMPLATE_DEFINE("pattern features agree with a serial count", T, pattern_counts) {
  for (const Pattern& pattern : feature_patterns()) {
    CAPTURE(pattern.name);
    const auto storage = stored<T>(pattern);
    check_against_serial(pattern_features(typename T::Exec(), storage.matrix()), pattern);
  }
}
TEST_CASE_TEMPLATE_APPLY(pattern_counts, EveryIndex);

TEST_CASE_TEMPLATE_DEFINE("a broken row pointer is an error that names the row", T, broken_rows) {
  using Off = typename T::Offset;
  const typename T::Exec exec;
  const auto error_with = [&](std::size_t place, Off value) {
    const auto host = plain_storage<T>();
    host.row_ptr()(place) = value;
    const auto storage = host.template copy_to<typename T::Space>(exec);
    exec.fence();
    const std::string said = message([&] { row_features(exec, storage.matrix()); });
    CHECK(message([&] { check_csr(exec, storage.matrix()); }) == said);
    return said;
  };
  CHECK(error_with(0, 3) ==
        "heddle: row 0: row_ptr(0) is 3, not 0; let row_ptr rise from 0 to the number of entries");
  const struct {
    std::size_t place;
    Off value;
    const char* words;
  } cases[] = {{300, 2, "heddle: row 299: row_ptr(300) is 2, less than"},
               {300, 2000, "heddle: row 300: row_ptr(301) is"},
               {700, 2500, "heddle: row 699: row_ptr(700) is 2500, but there are 2442 entries"},
               {700, 1, "heddle: row 699: row_ptr(700) is 1, less than"},
               {350, static_cast<Off>(-1), "heddle: row 3"}};
  for (const auto& [place, value, words] : cases) {
    CAPTURE(words);
    CHECK(error_with(place, value).find(words) == 0);
  }
}
TEST_CASE_TEMPLATE_APPLY(broken_rows, EveryIndex);

TEST_CASE_TEMPLATE_DEFINE("a column out of range is an error that names row and entry", T,
                          broken_columns) {
  using O = typename T::Ordinal;
  const typename T::Exec exec;
  for (const O column :
       {O(100), O(-1), std::numeric_limits<O>::max(), std::numeric_limits<O>::min()}) {
    const auto host = plain_storage<T>();
    host.col_idx()(1000) = column;
    host.col_idx()(2400) = column;
    std::size_t row = 0;
    while (host.row_ptr()(row + 1) <= 1000) ++row;
    const auto storage = host.template copy_to<typename T::Space>(exec);
    exec.fence();
    const auto matrix = storage.matrix();
    const std::string expected = "heddle: row " + std::to_string(row) + ", entry 1000: column " +
                                 std::to_string(column) + " is outside the 100 columns";
    const std::function<void()> checks[] = {[&] { check_columns(exec, matrix); },
                                            [&] { check_csr(exec, matrix); },
                                            [&] { row_features(exec, matrix, Check::columns); }};
    for (const auto& check : checks) CHECK(message(check).find(expected) == 0);
    CHECK_THROWS_AS((void)pattern_features(exec, matrix), Error);
    CHECK_NOTHROW(row_features(exec, matrix));
  }
}
TEST_CASE_TEMPLATE_APPLY(broken_columns, EveryIndex);

TEST_CASE_TEMPLATE_DEFINE("matrices without rows have features; entries without rows are an error",
                          T, nothing) {
  const typename T::Exec exec;
  using Matrix = CsrMatrix<double, int, int, typename T::Space>;
  CHECK(row_features(exec, Matrix()).rows == 0);
  CHECK(row_features(exec, Matrix(0, 5, 0, nullptr, nullptr, nullptr)).columns == 5);
  CHECK_NOTHROW(check_columns(exec, Matrix()));
  CHECK_NOTHROW(check_csr(exec, Matrix()));
  const Kokkos::View<int*, typename T::Space> columns("columns", 2);
  const Kokkos::View<double*, typename T::Space> values("values", 2);
  const Matrix without_rows(0, 5, 2, nullptr, columns.data(), values.data());
  CHECK_THROWS_WITH_AS(row_features(exec, without_rows), doctest::Contains("2 entries but no rows"),
                       Error);
  CHECK_THROWS_WITH_AS(check_csr(exec, without_rows), doctest::Contains("2 entries but no rows"),
                       Error);
}
TEST_CASE_TEMPLATE_APPLY(nothing, EveryBackend);

TEST_CASE("features print as a table") {
  PatternFeatures features;
  features.rows = 4;
  features.columns = 8;
  features.nonzeros = 8;
  features.longest_row = 5;
  features.diagonals = 17;
  std::ostringstream rows, pattern;
  rows << static_cast<const RowFeatures&>(features);
  pattern << features;
  for (const std::string& text : {rows.str(), pattern.str()}) {
    for (const char* line : {"rows                  4\n", "density               0.25\n",
                             "longest_row           5 entries\n"}) {
      CHECK(text.find(line) != std::string::npos);
    }
  }
  CHECK(pattern.str().find("rows                  4\n") == 0);
  CHECK(pattern.str().find("diagonals             17\n") != std::string::npos);
}

}  // namespace heddle::test
