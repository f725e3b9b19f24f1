// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../formats/csr/row_runs.hpp"
#include "../../testing/matrices.hpp"

namespace heddle::test {

namespace {

using heddle::detail::csr::RowRun;
using heddle::detail::csr::RowRunCode;
using Host = Kokkos::DefaultHostExecutionSpace;

heddle::detail::csr::RowRuns<Host> runs_of(const Pattern& pattern) {
  const auto A = make_matrix<double, int, int>(pattern);
  return heddle::detail::csr::RowRuns<Host>(Host(), A.matrix());
}

/// Whether row `i + 1` has the columns of row i, each moved by `step`.
bool follows(const Pattern& pattern, std::size_t i, std::int64_t step) {
  return std::ranges::equal(pattern.rows[i], pattern.rows[i + 1],
                            [=](auto column, auto next) { return column + step == next; });
}

/// The error in the code of row i, "" if there is none.
std::string problem_at(const Pattern& pattern, std::size_t i, std::uint8_t code) {
  const RowRun kind = RowRunCode::kind(code);
  const auto rows = static_cast<std::size_t>(RowRunCode::rows(code));
  if (i + rows > pattern.rows.size()) return "runs beyond the last row";
  if (kind == RowRun::any) return "";
  const std::size_t least = kind == RowRun::same ? 2 : RowRunCode::least_shifted;
  if (rows < least) return "is too short";
  for (std::size_t r = i; r + 1 < i + rows; ++r) {
    if (!follows(pattern, r, kind == RowRun::same ? 0 : 1)) return "is no run";
  }
  return "";
}

Pattern nodes_of_three(std::int64_t nodes) {
  Pattern pattern{"three unknowns a node", 3 * nodes, {}};
  Random random(3);
  for (std::int64_t i = 0; i < nodes; ++i) {
    pattern.rows.push_back(random_row(random, 3 * nodes, 20 + i % 5), 3);
  }
  return pattern;
}

}  // namespace

TEST_CASE("row runs: a code holds its kind and its rows") {
  for (const RowRun kind : {RowRun::any, RowRun::same, RowRun::shifted}) {
    for (int rows = 1; rows <= RowRunCode::most_rows; ++rows) {
      const auto code = RowRunCode::encode(kind, rows);
      CHECK(RowRunCode::kind(code) == kind);
      CHECK(RowRunCode::rows(code) == rows);
    }
  }
}

TEST_CASE("row runs: from any row on, the rows are what the code says") {
  std::vector<Pattern> patterns = test_patterns();
  patterns.push_back(nodes_of_three(4000));
  patterns.push_back(banded_pattern("long five-point", 20000, 20000, {-100, -1, 0, 1, 100}));
  int kept = 0;
  for (const Pattern& pattern : patterns) {
    const auto runs = runs_of(pattern);
    if (!runs.codes()) {
      CHECK(runs.bytes() == 0);
      continue;
    }
    ++kept;
    for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
      const std::string problem = problem_at(pattern, i, runs.codes()[i]);
      CHECK_MESSAGE(problem.empty(), pattern.name, ", row ", i, ": ", problem);
      if (!problem.empty()) break;
    }
  }
  CHECK(kept >= 4);
}

TEST_CASE("row runs: kept where they gain, and only there") {
  CHECK(runs_of(nodes_of_three(4000)).codes());
  CHECK(runs_of(banded_pattern("tridiagonal", 1000, 1000, {-1, 0, 1})).codes());
  // Pairs of rows of three nonzeros: runs that are too short to be worth it.
  Pattern pairs{"pairs of short rows", 5000, {}};
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    pairs.rows.push_back(random_row(random, 5000, 3), 2);
  }
  CHECK(!runs_of(pairs).codes());
  CHECK(!runs_of(random_pattern("irregular", 5, 3000, 3000, [](std::int64_t i) {
           return i % 9;
         })).codes());
  CHECK(!runs_of(Pattern{"0 x 0", 0, {}}).codes());
}

}  // namespace heddle::test
