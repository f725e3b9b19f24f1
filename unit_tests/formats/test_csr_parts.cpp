// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of rows that kernels of CSR take: blocks of rows, shares of equal work, runs of like rows,
// and ends of rows that a processor foresees.
#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "../../backends/launch.hpp"
#include "../../formats/csr/parameters.hpp"
#include "../../formats/csr/row_blocks.hpp"
#include "../../formats/csr/row_runs.hpp"
#include "../../formats/csr/share_search.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"

namespace heddle::test {

using Host = Kokkos::DefaultHostExecutionSpace;

TEST_CASE_TEMPLATE_DEFINE(
    "blocks hold all rows in turn: a long row alone, or up to a number of others", T, row_blocks) {
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto host = make_matrix<double, O, Off>(pattern);
    const auto A = host.template copy_to<typename T::Space>(exec);
    for (const std::int64_t most : {1, 7, 64, 1024}) {
      for (const std::int64_t long_row : {std::int64_t{1}, std::int64_t{40}, INT64_MAX}) {
        CAPTURE(pattern.name);
        CAPTURE(most);
        CAPTURE(long_row);
        const heddle::detail::csr::RowBlocks<typename T::Exec, O, Off> blocks(exec, A.matrix(),
                                                                              most, long_row);
        const auto table = blocks.table();
        std::vector<O> expected;
        std::int64_t since = 0;
        bool behind_long = false;
        for (std::int64_t row = 0; row < host.rows(); ++row) {
          const auto r = static_cast<std::size_t>(row);
          const bool is_long = pattern.rows[r].size() > static_cast<std::size_t>(long_row);
          since = row % most == 0 ? 0 : since + 1;
          if (since == 0 || is_long || behind_long) expected.push_back(static_cast<O>(row));
          behind_long = is_long;
        }
        expected.push_back(host.rows());
        REQUIRE(table.blocks + 1 == static_cast<std::int64_t>(expected.size()));
        if (table.blocks == 0) continue;
        const Kokkos::View<const O*, typename T::Space, Kokkos::MemoryUnmanaged> first(
            table.first, expected.size());
        const auto found = to_host(first);
        bool same = true;
        for (std::size_t b = 0; b < expected.size(); ++b) same = same && found(b) == expected[b];
        CHECK(same);
        CHECK(static_cast<std::int64_t>(table.long_row) == std::min(long_row, pattern.nonzeros()));
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(row_blocks, Every<std::tuple<double>>);

TEST_CASE("blocks of longer rows have fewer of them") {
  const heddle::detail::csr::BlockTuning tuning;
  CHECK(tuning.rows_per_block(0) == 1024);
  CHECK(tuning.rows_per_block(2) == 1024);
  CHECK(tuning.rows_per_block(5) == 256);
  CHECK(tuning.rows_per_block(100) == 16);
  CHECK(tuning.rows_per_block(1e6) == 8);
}

namespace {

/// The first row of each share, and the end of the last one, as subwarps of a width find them.
template <class O, class Off>
struct FindKernel {
  using Scratch = backends::NoScratch;
  heddle::detail::csr::ShareSearch search;
  const Off* row_ptr;
  O rows;
  O* first;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t share = team.index() * Team::subwarps + team.subwarp_index();
    if (share > search.shares(rows)) return;
    const auto subwarp = team.subwarp();
    const O row = search.first_row(subwarp, row_ptr, rows, share);
    if (subwarp.lane() == 0) first[share] = row;
  }
};

template <class T, int Width>
void check_search(const Pattern& pattern) {
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  const auto host = make_matrix<double, O, Off>(pattern);
  const auto A = host.template copy_to<typename T::Space>(exec);
  const std::int64_t rows = host.rows();
  for (const std::int64_t work : {1, 3, 64, 1000, 100000}) {
    if (work == 1 && rows + pattern.nonzeros() > 40000) continue;
    for (const int row_steps : {1, 8}) {
      const heddle::detail::csr::ShareSearch search{pattern.nonzeros(), work, row_steps};
      const std::int64_t shares = search.shares(rows);
      const Kokkos::View<O*, typename T::Space> first("heddle::test::first",
                                                      static_cast<std::size_t>(shares + 1));
      using Shape = backends::Shape<Width, 64>;
      constexpr int per_team = backends::has_lanes<typename T::Exec> ? 64 / Width : 1;
      backends::launch<Shape>(
          exec, "heddle::test::find", ceil_div<std::int64_t>(shares + 1, per_team),
          FindKernel<O, Off>{search, A.matrix().row_ptr().data(), A.matrix().rows(), first.data()});
      const auto found = to_host(first);
      std::int64_t row = 0, wrong = 0;
      for (std::int64_t share = 0; share <= shares; ++share) {
        const auto begins = [&] {
          return row * row_steps + static_cast<std::int64_t>(host.row_ptr()(row));
        };
        while (row < rows && (share == shares || begins() < share * work)) ++row;
        wrong += found(static_cast<std::size_t>(share)) != static_cast<O>(row);
      }
      CHECK_MESSAGE(wrong == 0, pattern.name, ", width ", Width, ", work ", work);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("lanes that search find the rows that begin in each share", T,
                          share_search) {
  constexpr int widest = backends::max_subwarp_width<typename T::Exec>;
  for (const Pattern& pattern : test_patterns()) {
    check_search<T, widest>(pattern);
    if constexpr (widest > 1) check_search<T, 2>(pattern);
  }
}
TEST_CASE_TEMPLATE_APPLY(share_search, Every<std::tuple<double>>);

TEST_CASE("row ends: what repeats is foreseen, and few rows of a thread are known by heart") {
  using heddle::detail::csr::RowEnds;
  const Host exec;
  Random random(1);
  const auto always = [](std::int64_t length) { return [=](std::int64_t) { return length; }; };
  const auto up_to = [&](std::int64_t most) {
    return [&random, most](std::int64_t) { return 1 + random.below(most); };
  };
  const auto mostly_five = [&](std::int64_t) {
    return random.below(50) ? std::int64_t{5} : 1 + random.below(9);
  };
  constexpr std::int64_t learnt = 40000;
  // A predictor learns only the rows of its thread.
  const std::int64_t threads = backends::threads_at_once(exec);
  const struct {
    std::int64_t rows;
    std::function<std::int64_t(std::int64_t)> length;
    RowEnds expected;
  } cases[] = {{0, always(0), RowEnds::foreseen},
               {1, always(9), RowEnds::foreseen},
               {5000, always(7), RowEnds::foreseen},
               {5000, [](std::int64_t i) { return 1 + i % 5; }, RowEnds::foreseen},
               {5000, mostly_five, RowEnds::foreseen},
               {2 * threads, up_to(4), RowEnds::foreseen},
               {2 * threads, up_to(20), RowEnds::foreseen},
               {500 * threads, up_to(4), RowEnds::foreseen},
               {500 * threads, up_to(20), RowEnds::foreseen},
               {20000 * threads, up_to(4), RowEnds::unforeseen},
               {20000 * threads, up_to(20), RowEnds::unforeseen},
               {learnt * threads, up_to(20), RowEnds::unforeseen},
               // More rows than a predictor learns; it foresees fours of short ones.
               {(learnt + 1) * threads, up_to(4), RowEnds::unforeseen},
               {(learnt + 1) * threads, up_to(20), RowEnds::unpredictable},
               // Mostly empty rows are sparse.
               {5000, always(0), RowEnds::sparse},
               {5000, [](std::int64_t i) { return i % 3 == 0; }, RowEnds::sparse},
               {5000, [](std::int64_t i) { return i % 2; }, RowEnds::foreseen}};
  for (const auto& [rows, length, expected] : cases) {
    std::vector<int> row_ptr(static_cast<std::size_t>(rows) + 1);
    for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
      row_ptr[i + 1] = row_ptr[i] + static_cast<int>(length(static_cast<std::int64_t>(i)));
    }
    INFO(rows, " rows, the first of ", length(0));
    CHECK(heddle::detail::csr::row_ends(exec, row_ptr.data(), rows, learnt) == expected);
  }
}

namespace {

using heddle::detail::csr::RowRun;
using heddle::detail::csr::RowRunCode;

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
