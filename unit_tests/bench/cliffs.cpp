// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "../../perf_tests/studies/cliffs/growth.hpp"
#include "../../perf_tests/studies/cliffs/patterns.hpp"

using namespace heddle::bench;

namespace {

CliffTimes times(std::int64_t entries, double setup, double update, double apply) {
  return {entries, entries, {setup, update, apply}};
}

}  // namespace

TEST_CASE("cliffs: growth is that of a doubling") {
  const auto apply = CliffPhase::apply;
  CHECK(growth(times(100, 1, 1, 1), times(200, 1, 1, 3), apply) == doctest::Approx(3));
  CHECK(growth(times(100, 1, 1, 1), times(400, 1, 1, 16), apply) == doctest::Approx(4));
  // Times too short to compare, or a matrix that did not grow.
  CHECK(growth(times(100, 1, 1, 1e-5), times(200, 1, 1, 9e-4), apply) == 0);
  CHECK(growth(times(100, 1, 1, 1), times(100, 1, 1, 9), apply) == 0);
}

TEST_CASE("cliffs: what grows as the matrix is none, what grows as its square is one") {
  CliffSeries linear{"chain", "SpmvPlan", "csr"}, square = linear;
  for (const double n : {1e4, 2e4, 4e4}) {
    const auto entries = static_cast<std::int64_t>(n);
    linear.sizes.push_back(times(entries, 1e-6 * n, 1e-6 * n, 1e-6 * n));
    square.sizes.push_back(times(entries, 1e-6 * n, 1e-9 * n * n, 1e-6 * n));
  }
  CHECK_FALSE(linear.cliff());
  CHECK(square.cliff());
  CHECK(square.cliff(CliffPhase::update));
  CHECK_FALSE(square.cliff(CliffPhase::setup));
  CHECK(square.worst_growth(CliffPhase::update) == doctest::Approx(4));
}

TEST_CASE("cliffs: a size that took longer than larger ones is none, whoever took its time") {
  CliffSeries series{"chain", "SpmvPlan", "csr"};
  series.sizes = {times(100, 1, 1, 1), times(200, 2, 9, 2), times(400, 4, 4, 4)};
  CHECK_FALSE(series.cliff());
  series.sizes.push_back(times(800, 8, 12, 8));
  CHECK(series.worst_growth(CliffPhase::update) == doctest::Approx(3));
}

TEST_CASE("cliffs: files and tables have every size, what grew, and what ended") {
  CliffSeries series{"star", "IluPlan", "ilu/sweeps,count=5"};
  series.sizes = {times(100, 1e-3, 2e-3, 3e-3), times(200, 2e-3, 8e-3, 6e-3)};
  CliffSeries refused{"star", "SpmvPlan", "dia"};
  refused.ended = "too many \"diagonals\"";
  const std::string csv = cliffs_csv({series, refused}), table = cliffs_table({series, refused});
  for (const char* line :
       {"star,IluPlan,\"ilu/sweeps,count=5\",100,100,1.000e-03,2.000e-03,3.000e-03,,,,\n",
        "2.000e-03,8.000e-03,6.000e-03,2.00,4.00,2.00,\n", "\"too many \"\"diagonals\"\"\"\n"}) {
    CHECK(csv.find(line) != std::string::npos);
  }
  CHECK(table.find("| 2 / **8 (x4.0)** / 6 |\n") != std::string::npos);
  CHECK(table.find("| SpmvPlan | dia | - |\n") != std::string::npos);
}

TEST_CASE("cliffs: patterns grow as their rows, and their diagonals are greater than the rest") {
  for (const CliffPattern& pattern : cliff_patterns()) {
    CAPTURE(std::string(pattern.name));
    CHECK(make_cliff(pattern, 2).nonzeros() >= 3);
    const CliffStorage small = make_cliff(pattern, 500), large = make_cliff(pattern, 1000);
    CHECK(static_cast<double>(large.nonzeros()) / small.nonzeros() ==
          doctest::Approx(2).epsilon(0.04));  // few nodes, so hubs often coincide
    std::vector<double> excess(1000, 0);      // diagonal minus sum of the others, a row
    std::vector<double> of_columns(1000, 0);
    for (std::size_t i = 0; i < 1000; ++i) {
      for (auto k = large.row_ptr()(i); k < large.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(large.col_idx()(at));
        if (k > large.row_ptr()(i)) CHECK(large.col_idx()(at) > large.col_idx()(at - 1));
        const double size = std::abs(large.values()(at));
        excess[i] += i == j ? size : -size;
        of_columns[j] += i == j ? size : -size;
      }
    }
    CHECK(*std::min_element(excess.begin(), excess.end()) >= 1);
    CHECK(*std::min_element(of_columns.begin(), of_columns.end()) >= 1);
  }
}
