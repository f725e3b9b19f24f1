// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "../../formats/inspect/features.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"

namespace test = heddle::test;

namespace {

using Doubles = std::tuple<double>;

template <class Exec, class O, class Off>
heddle::PatternFeatures features_of(const test::Pattern& pattern) {
  const Exec exec;
  const auto storage =
      test::make_matrix<double, O, Off>(pattern).template copy_to<typename Exec::memory_space>(
          exec);
  return heddle::pattern_features(exec, storage.matrix());
}

/// The features by their definitions, one entry after another.
void check_against_serial(const heddle::PatternFeatures& features, const test::Pattern& pattern) {
  std::int64_t lower = 0, upper = 0;
  bool sorted = true;
  std::set<std::int64_t> diagonals;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(pattern.rows.size()); ++i) {
    const auto row = pattern.rows[static_cast<std::size_t>(i)];
    sorted = sorted && std::is_sorted(row.begin(), row.end());
    for (const std::int64_t j : row) {
      lower = std::max(lower, i - j);
      upper = std::max(upper, j - i);
      diagonals.insert(j - i);
    }
  }
  const auto rows = static_cast<std::int64_t>(pattern.rows.size());
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
  CHECK(features.lower_bandwidth == lower);
  CHECK(features.upper_bandwidth == upper);
  CHECK(features.diagonals == static_cast<std::int64_t>(diagonals.size()));
  CHECK(features.sorted == sorted);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("pattern features agree with a serial count", T, pattern_features) {
  for (const test::Pattern& pattern : test::test_patterns(21)) {
    CAPTURE(pattern.name);
    check_against_serial(
        features_of<typename T::Exec, typename T::Ordinal, typename T::Offset>(pattern), pattern);
  }
}
TEST_CASE_TEMPLATE_APPLY(pattern_features, test::Every<Doubles>);

TEST_CASE_TEMPLATE_DEFINE("features of patterns that are known by heart", T, known) {
  using Exec = typename T::Exec;
  const auto tridiagonal =
      features_of<Exec, int, int>(test::banded_pattern("tridiagonal", 100, 100, {-1, 0, 1}));
  CHECK(tridiagonal.diagonals == 3);
  CHECK(tridiagonal.lower_bandwidth == 1);
  CHECK(tridiagonal.upper_bandwidth == 1);

  const auto dense = features_of<Exec, int, int>(
      test::random_pattern("dense", 1, 12, 12, [](std::int64_t) { return 12; }));
  CHECK(dense.diagonals == 23);

  const test::Pattern repeated{"repeated", 3, {{0, 0, 0, 0, 1}, {2, 2}, {}, {0, 0}}};
  check_against_serial(features_of<Exec, int, int>(repeated), repeated);

  test::Pattern wide{"narrow, wide, narrow, wide", 65536, {}};
  const std::vector<int> first{0}, second{1}, last{65535}, last_but_one{65534}, both{0, 65535};
  const std::vector<int> none;
  for (const auto& [top, bottom] : {std::pair(first, last_but_one), std::pair(first, last),
                                    std::pair(last, second), std::pair(both, none)}) {
    wide.rows.push_back(top);
    wide.rows.push_back(none, 30);
    wide.rows.push_back(bottom);
  }
  check_against_serial(features_of<Exec, int, int>(wide), wide);
  CHECK(features_of<Exec, int, int>(wide).narrow_slices == 2);

  const auto unsorted = features_of<Exec, int, int>({"unsorted", 3, {{2, 0}}});
  CHECK_FALSE(unsorted.sorted);
  CHECK(unsorted.narrow_slice_share() == -1);
  CHECK(unsorted.diagonals == 2);
}
TEST_CASE_TEMPLATE_APPLY(known, test::Every<Doubles, test::UsualIndices>);

TEST_CASE_TEMPLATE_DEFINE("a huge row of one column over and over is no trap", T, huge_repeats) {
  std::vector<std::int64_t> row(500000, 7);
  std::fill_n(row.begin(), 200000, 6);
  const test::Pattern pattern{"repeats", 100000, {{}, row, {}}};
  const auto features = features_of<typename T::Exec, int, int>(pattern);
  CHECK(features.diagonals == 2);
}
TEST_CASE_TEMPLATE_APPLY(huge_repeats, test::Every<Doubles, test::UsualIndices>);

TEST_CASE_TEMPLATE_DEFINE("pattern features refuse what they cannot look at", T, refuse) {
  using Exec = typename T::Exec;
  const Exec exec;
  const auto host = test::make_matrix<double, int, int>({"plain", 3, {{0, 1}, {2}}});
  host.col_idx()(1) = 3;
  const auto wrong = host.template copy_to<typename T::Space>(exec);
  CHECK_THROWS_AS((void)heddle::pattern_features(exec, wrong.matrix()), heddle::Error);
}
TEST_CASE_TEMPLATE_APPLY(refuse, test::Every<Doubles, test::UsualIndices>);

TEST_CASE("pattern features print with the row features") {
  heddle::PatternFeatures features;
  features.rows = 3;
  features.diagonals = 17;
  std::ostringstream out;
  out << features;
  CHECK(out.str().find("rows                  3\n") == 0);
  CHECK(out.str().find("diagonals             17\n") != std::string::npos);
}
