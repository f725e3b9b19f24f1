// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of rows that kernels of CSR take: blocks of rows, shares of equal work, runs of like rows,
// and ends of rows that a processor foresees.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "../../backends/launch.hpp"
#include "../../formats/csr/host_kernel.hpp"
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

heddle::detail::csr::RowRuns<Host> runs_of(const Pattern& pattern, bool same_gain = true,
                                           double least_gain = 0.125) {
  const auto A = make_matrix<double, int, int>(pattern);
  return heddle::detail::csr::RowRuns<Host>(Host(), A.matrix(), same_gain, least_gain);
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
  // Stencils are a gain even if rows of equal columns are none.
  CHECK(!runs_of(nodes_of_three(4000), false).codes());
  Pattern grid = banded_pattern("long five-point", 20000, 20000, {-100, -1, 0, 1, 100});
  CHECK(runs_of(grid, false).codes());
  grid.rows.push_back(random_row(random, 20000, 1000), 60);
  CHECK(runs_of(grid, false).codes());
  grid.rows.push_back(random_row(random, 20000, 1001), 60);
  CHECK(!runs_of(grid, false).codes());
  CHECK(runs_of(grid, true).codes());
}

TEST_CASE("runs are kept for a share of the nonzeros, larger for long rows from beyond a core") {
  using heddle::detail::csr::least_gain_of_runs;
  const heddle::detail::csr::CpuTuning tuning;
  const std::int64_t in_core = tuning.core_bytes_per_thread;
  CHECK(least_gain_of_runs(tuning, tuning.long_row, in_core) == 0.125);
  CHECK(least_gain_of_runs(tuning, tuning.long_row, in_core + 1) == 0.5);
  CHECK(least_gain_of_runs(tuning, tuning.long_row - 1, in_core + 1) == 0.125);
  // 20000 of 52000 nonzeros are in runs of 64 rows, less 20 for each of those and of the others.
  Pattern mixed = banded_pattern("a stencil and others", 4000, 4000, {-100, -1, 0, 1, 100});
  Random random(7);
  for (int i = 0; i < 1000; ++i) mixed.rows.push_back(random_row(random, 4000, 32));
  CHECK(runs_of(mixed, true, 0.125).codes());
  CHECK(!runs_of(mixed, true, 0.5).codes());
  CHECK(runs_of(banded_pattern("a stencil", 4000, 4000, {-100, -1, 0, 1, 100}), true, 0.5).codes());
}

TEST_CASE("rows of equal columns gain from the caches, and from memory on processors for that") {
  using heddle::detail::csr::equal_rows_gain;
  const heddle::detail::csr::CpuTuning tuning;
  const std::int64_t cached = tuning.last_level_bytes_per_thread;
  for (const bool reads_several : {false, true}) {
    const backends::CpuTraits cpu{.reads_several_streams = reads_several};
    CHECK(equal_rows_gain(tuning, cpu, cached));
    CHECK(equal_rows_gain(tuning, cpu, cached + 1) == reads_several);
  }
}

TEST_CASE("consecutive columns: their share of the fours of all rows") {
  const auto share_of = [](const Pattern& pattern) {
    const auto A = make_matrix<double, int, int>(pattern);
    return heddle::detail::csr::share_of_consecutive_columns(Host(), A.matrix());
  };
  CHECK(share_of(Pattern{"0 x 0", 0, {}}) == 0);
  CHECK(share_of(Pattern{"short rows", 9, {{0, 1, 2}, {}, {7}}}) == 0);
  CHECK(share_of(Pattern{"one four", 9, {{2, 3, 4, 5, 8}}}) == 1);
  CHECK(share_of(Pattern{"one of two", 20, {{2, 3, 4, 5, 8, 9, 10, 12}}}) == 0.5);
  CHECK(share_of(Pattern{"a column twice", 20, {{2, 3, 3, 5}, {5, 4, 3, 2}}}) == 0);
  Pattern dense{"dense", 40, {}};
  std::vector<std::int64_t> row(40);
  std::iota(row.begin(), row.end(), 0);
  dense.rows.push_back(row, 20000);
  CHECK(share_of(dense) == 1);
}

TEST_CASE("the span of columns of a mean row") {
  const auto span_of = [](const Pattern& pattern) {
    const auto A = make_matrix<double, int, int>(pattern);
    return heddle::detail::csr::mean_span_of_columns(Host(), A.matrix());
  };
  CHECK(span_of(Pattern{"0 x 0", 0, {}}) == 0);
  CHECK(span_of(Pattern{"empty rows", 9, {{}, {}}}) == 0);
  CHECK(span_of(Pattern{"one entry", 9, {{7}}}) == 0);
  CHECK(span_of(Pattern{"a row and an empty one", 9, {{2, 3, 8}, {}}}) == 3);
  CHECK(span_of(Pattern{"columns that fall", 9, {{8, 3, 2}}}) == 6);
  Pattern wide{"more rows than are read", 5000, {}};
  wide.rows.push_back(std::vector<std::int64_t>{0, 4000}, 20000);
  CHECK(span_of(wide) == 4000);
}

namespace {

/// Rows of 0 to 17 nonzeros and longer ones, alone and with the same columns as the rows below,
/// with consecutive columns and others, and stencils; the last rows are long and short. Rows of
/// columns from `others` on lie between those of lower columns.
Pattern rows_of_every_length(std::int64_t others) {
  Pattern pattern{"rows of every length", 2 * others, {}};
  Random random(21);
  std::vector<std::int64_t> lengths(18);
  std::iota(lengths.begin(), lengths.end(), 0);
  lengths.insert(lengths.end(), {31, 32, 33, 77, 1500, 2, 3});
  for (const std::int64_t length : lengths) {
    for (int rows = 1; rows <= 6; ++rows) {
      for (const bool consecutive : {true, false}) {
        for (const std::int64_t base : {std::int64_t{0}, others}) {
          std::vector<std::int64_t> row = random_row(random, others, length);
          if (consecutive) std::iota(row.begin(), row.end(), others - length - rows);
          for (std::int64_t& column : row) column += base;
          pattern.rows.push_back(row, static_cast<std::size_t>(rows));
        }
      }
    }
  }
  for (std::int64_t i = 0; i < 30; ++i) {
    pattern.rows.push_back(std::vector<std::int64_t>{i, i + 7, i + 8, i + 9, i + 60});
  }
  pattern.rows.push_back(random_row(random, others, 5));
  return pattern;
}

template <class S, class V, class O, class Off>
struct LoopTypes {
  using Operands = heddle::detail::csr::CsrOperands<S, O, Off, V, V>;
};
using EveryLoopType =
    std::tuple<LoopTypes<double, double, int, int>, LoopTypes<float, float, int, std::int64_t>,
               LoopTypes<float, double, int, int>,
               LoopTypes<double, double, std::int64_t, std::int64_t>,
               LoopTypes<float, float, std::int64_t, std::int64_t>,
               LoopTypes<Kokkos::complex<double>, Kokkos::complex<double>, int, std::int64_t>>;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("every loop of a CPU takes rows of every length, and nothing of others",
                          T, every_loop) {
  using Operands = typename T::Operands;
  using S = typename Operands::scalar_type;
  using V = typename Operands::vector_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Real = RealOf<V>;
  using namespace heddle::detail::csr;
  constexpr std::int64_t others = 2000;
  const Pattern pattern = rows_of_every_length(others);
  const auto A = make_matrix<S, O, Off>(pattern);
  const auto rows = static_cast<std::size_t>(A.rows());
  // Upper columns of x are infinite, and the values of every second row of them are NaN.
  std::vector<V> x(2 * others), y(rows + 1);
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = j < others ? V(Real(1) + Real(j % 17) / 8) : V(std::numeric_limits<Real>::infinity());
  }
  bool not_a_number = false;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto begin = static_cast<std::size_t>(A.row_ptr()(i));
    const auto end = static_cast<std::size_t>(A.row_ptr()(i + 1));
    if (begin == end || A.col_idx()(begin) < O(others)) continue;
    not_a_number = !not_a_number;
    for (std::size_t k = begin; k < end; ++k) {
      A.values()(k) = not_a_number ? S(std::numeric_limits<RealOf<S>>::quiet_NaN()) : S(1);
    }
  }
  const RowRuns<Host> runs(Host(), A.matrix(), true, 0.125, true);
  Operands operands{};
  operands.rows = A.rows();
  operands.row_ptr = A.row_ptr().data();
  operands.col_idx = A.col_idx().data();
  operands.values = A.values().data();
  operands.alpha = V(2);
  operands.x = {x.data(), 1, 1, 2 * others, 1};
  operands.y = {y.data(), 1, 1, A.rows(), 1};

  const auto is_finite = [](const V& v) { return std::isfinite(Kokkos::abs(v)); };
  /// The first row whose y is wrong; -1 if there is none. Rows before `first` and from `stop` on
  /// hold what they held.
  const auto wrong_row = [&](std::size_t first, std::size_t stop, Real beta) -> int {
    for (std::size_t i = 0; i <= rows; ++i) {
      if (i < first || i >= stop) {
        if (y[i] != V(3)) return static_cast<int>(i);
        continue;
      }
      V sum(0);
      Real size(0);
      for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const V product = V(A.values()(at)) * x[static_cast<std::size_t>(A.col_idx()(at))];
        sum += product;
        size += Kokkos::abs(product);
      }
      if (!is_finite(sum)) {
        if (is_finite(y[i])) return static_cast<int>(i);
        if constexpr (!is_complex<V>) {
          if (std::isnan(sum) != std::isnan(y[i])) return static_cast<int>(i);
        }
      } else if (!(Kokkos::abs(y[i] - (V(2) * sum + V(3 * beta))) <=
                   64 * std::numeric_limits<Real>::epsilon() * (size + 3))) {
        return static_cast<int>(i);
      }
    }
    return -1;
  };
  const auto check = [&](const auto& kernel) {
    for (const auto& [first, stop] :
         {std::pair<std::size_t, std::size_t>{0, rows}, {5, rows - 7}, {rows - 2, rows}, {4, 4}}) {
      for (const Real beta : {Real(0), Real(-1)}) {
        std::fill(y.begin(), y.end(), V(3));
        if (beta == Real(0)) {
          std::fill(y.begin() + static_cast<std::ptrdiff_t>(first),
                    y.begin() + static_cast<std::ptrdiff_t>(stop),
                    V(std::numeric_limits<Real>::quiet_NaN()));
        }
        Operands all = operands;
        all.beta = V(beta);
        kernel.store_rows(all, static_cast<std::int64_t>(first), static_cast<std::int64_t>(stop));
        CAPTURE(first);
        CAPTURE(beta);
        CHECK(wrong_row(first, stop, beta) == -1);
      }
    }
  };
  check(heddle::detail::compressed_rows::HostPlainRows<Operands, 1>());
  if constexpr (suits_simd<Operands>) {
    if (!backends::supports(backends::Simd::loads)) return;
    for (const RowLoop loop : {RowLoop::row, RowLoop::four, RowLoop::branchless, RowLoop::sparse,
                               RowLoop::two_sums, RowLoop::contiguous}) {
      for (const bool together : {false, true}) {
        for (const bool prefetch : {false, true}) {
          CAPTURE(static_cast<int>(loop));
          CAPTURE(together);
          RowHints hints{.loop = loop, .runs = together ? runs.codes() : nullptr};
          hints.prefetch = prefetch;
          check(HostSimdRows<Operands, backends::Simd::loads>{hints});
          check(HostSimdRows<Operands, backends::Simd::gathers>{hints});
        }
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(every_loop, EveryLoopType);

}  // namespace heddle::test
