// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <functional>
#include <sstream>

#include "../../formats/inspect/features.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"

namespace test = heddle::test;

namespace {

using Doubles = std::tuple<double>;

std::string message(const std::function<void()>& act) {
  try {
    act();
    return "no error";
  } catch (const heddle::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("row features agree with a serial count", T, row_features) {
  using Exec = typename T::Exec;
  const Exec exec;
  for (const test::Pattern& pattern : test::test_patterns(11)) {
    CAPTURE(pattern.name);
    const auto storage = test::make_matrix<double, typename T::Ordinal, typename T::Offset>(pattern)
                             .template copy_to<typename T::Space>(exec);
    const heddle::RowFeatures features =
        heddle::row_features(exec, storage.matrix(), heddle::Check::columns);

    std::int64_t shortest = pattern.rows.empty() ? 0 : 1 << 30, longest = 0, empty = 0;
    for (const std::size_t group : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::int64_t slots = 0;
      for (std::size_t first = 0; first < pattern.rows.size(); first += group) {
        std::size_t widest = 0;
        for (std::size_t i = first; i < std::min(first + group, pattern.rows.size()); ++i) {
          widest = std::max(widest, pattern.rows[i].size());
        }
        slots += static_cast<std::int64_t>(group * widest);
      }
      const bool counted = group <= 32 || heddle::backends::max_subwarp_width<Exec> > 32;
      CHECK(features.slots_of_groups(static_cast<int>(group)) == (counted ? slots : 0));
      if (group == 32) CHECK(features.slice_slots == slots);
    }
    long double squares = 0;
    const auto rows = static_cast<long double>(pattern.rows.size());
    const long double mean =
        pattern.rows.empty() ? 0 : static_cast<long double>(pattern.nonzeros()) / rows;
    for (const auto& row : pattern.rows) {
      const auto length = static_cast<std::int64_t>(row.size());
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
      empty += length == 0;
      squares +=
          (static_cast<long double>(length) - mean) * (static_cast<long double>(length) - mean);
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
    if (pattern.nonzeros() > 0) {
      CHECK(features.row_variation() ==
            doctest::Approx(std::sqrt(variance) / static_cast<double>(mean)));
      CHECK(features.density() * static_cast<double>(pattern.columns) ==
            doctest::Approx(features.mean_row()));
    }
    CHECK(heddle::row_features(exec, storage.matrix()).row_variance == features.row_variance);
    CHECK_NOTHROW(heddle::check_columns(exec, storage.matrix()));
    CHECK_NOTHROW(heddle::check_csr(exec, storage.matrix()));
  }
}
TEST_CASE_TEMPLATE_APPLY(row_features, test::Every<Doubles>);

TEST_CASE_TEMPLATE_DEFINE("features of equal rows have a variance of exactly zero", T, equal_rows) {
  const typename T::Exec exec;
  const auto storage =
      test::make_matrix<double, int, int>(
          test::random_pattern("equal", 5, 3001, 100, [](std::int64_t) { return 7; }))
          .template copy_to<typename T::Space>(exec);
  CHECK(heddle::row_features(exec, storage.matrix()).row_variance == 0);
}
TEST_CASE_TEMPLATE_APPLY(equal_rows, test::Every<Doubles, test::UsualIndices>);

TEST_CASE_TEMPLATE_DEFINE("a broken row pointer is an error that names the row", T, broken_rows) {
  using Exec = typename T::Exec;
  using Off = typename T::Offset;
  const Exec exec;
  const auto error_with = [&](std::size_t place, Off value) {
    const auto host = test::make_matrix<double, typename T::Ordinal, Off>(
        test::random_pattern("plain", 9, 700, 100, [](std::int64_t i) { return i % 8; }));
    host.row_ptr()(place) = value;
    const auto storage = host.template copy_to<typename T::Space>(exec);
    exec.fence();
    const std::string said = message([&] { heddle::row_features(exec, storage.matrix()); });
    CHECK(message([&] { heddle::check_csr(exec, storage.matrix()); }) == said);
    return said;
  };
  CHECK(error_with(0, 3) ==
        "heddle: row 0: row_ptr(0) is 3, not 0; let row_ptr rise from 0 to the number of entries");
  CHECK(error_with(300, 2).find("heddle: row 299: row_ptr(300) is 2, less than") == 0);
  CHECK(error_with(300, 2000).find("heddle: row 300: row_ptr(301) is") == 0);
  CHECK(error_with(700, 2500).find(
            "heddle: row 699: row_ptr(700) is 2500, but there are 2442 entries") == 0);
  CHECK(error_with(700, 1).find("heddle: row 699: row_ptr(700) is 1, less than") == 0);
  CHECK(error_with(350, static_cast<Off>(-1)).find("heddle: row 3") == 0);
}
TEST_CASE_TEMPLATE_APPLY(broken_rows, test::Every<Doubles>);

TEST_CASE_TEMPLATE_DEFINE("a column out of range is an error that names row and entry", T,
                          broken_columns) {
  using Exec = typename T::Exec;
  using O = typename T::Ordinal;
  const Exec exec;
  for (const O column :
       {O(100), O(-1), std::numeric_limits<O>::max(), std::numeric_limits<O>::min()}) {
    const auto host = test::make_matrix<double, O, typename T::Offset>(
        test::random_pattern("plain", 9, 700, 100, [](std::int64_t i) { return i % 8; }));
    host.col_idx()(1000) = column;
    host.col_idx()(2400) = column;
    std::size_t row = 0;
    while (host.row_ptr()(row + 1) <= 1000) ++row;
    const auto storage = host.template copy_to<typename T::Space>(exec);
    exec.fence();
    const std::string expected = "heddle: row " + std::to_string(row) + ", entry 1000: column " +
                                 std::to_string(column) + " is outside the 100 columns";
    CHECK(message([&] { heddle::check_columns(exec, storage.matrix()); }).find(expected) == 0);
    CHECK(message([&] {
            heddle::row_features(exec, storage.matrix(), heddle::Check::columns);
          }).find(expected) == 0);
    CHECK(message([&] { heddle::check_csr(exec, storage.matrix()); }).find(expected) == 0);
    CHECK_NOTHROW(heddle::row_features(exec, storage.matrix()));
  }
}
TEST_CASE_TEMPLATE_APPLY(broken_columns, test::Every<Doubles>);

TEST_CASE_TEMPLATE_DEFINE("matrices without rows or entries", T, nothing) {
  using Exec = typename T::Exec;
  using Space = typename T::Space;
  const Exec exec;
  using Matrix = heddle::CsrMatrix<double, int, int, Space>;
  CHECK(heddle::row_features(exec, Matrix()).rows == 0);
  CHECK(heddle::row_features(exec, Matrix(0, 5, 0, nullptr, nullptr, nullptr)).columns == 5);
  CHECK_NOTHROW(heddle::check_columns(exec, Matrix()));
  CHECK_NOTHROW(heddle::check_csr(exec, Matrix()));
  Kokkos::View<int*, Space> columns("columns", 2);
  Kokkos::View<double*, Space> values("values", 2);
  CHECK_THROWS_WITH_AS(
      heddle::row_features(exec, Matrix(0, 5, 2, nullptr, columns.data(), values.data())),
      doctest::Contains("2 entries but no rows"), heddle::Error);
  CHECK_THROWS_WITH_AS(
      heddle::check_csr(exec, Matrix(0, 5, 2, nullptr, columns.data(), values.data())),
      doctest::Contains("2 entries but no rows"), heddle::Error);
}
TEST_CASE_TEMPLATE_APPLY(nothing, test::Every<Doubles, test::UsualIndices>);

TEST_CASE("features print as a table") {
  heddle::RowFeatures features;
  features.rows = 4;
  features.columns = 8;
  features.nonzeros = 8;
  features.longest_row = 5;
  std::ostringstream out;
  out << features;
  CHECK(out.str().find("density               0.25\n") != std::string::npos);
  CHECK(out.str().find("longest_row           5 entries\n") != std::string::npos);
}
