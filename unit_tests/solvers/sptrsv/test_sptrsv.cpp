// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises of a triangular solve, for every scheme of a plan and without a plan.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/held_device.hpp"
#include "../../support/sptrsv_check.hpp"
#include "../../support/streams.hpp"
#include "odd_values.cpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("sptrsv: every way solves with every triangle", T, every_triangle) {
  const Device device = backends::describe(typename T::Exec());
  check_every_triangle<TriangleSolver<T>>([&](const Pattern&, std::size_t turn) {
    auto ways = ways_of(emulated ? sptrsv_samples(device, turn) : sptrsv_variants(device));
    for (const Way& way : unnamed_ways()) ways.push_back(way);
    return ways;
  });
}
TEST_CASE_TEMPLATE_APPLY(every_triangle, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: ops, diagonals, in place, several right-hand sides", T,
                          every_op) {
  check_every_op<TriangleSolver<T>>(unnamed_ways());
}
TEST_CASE_TEMPLATE_APPLY(every_op, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: each half of an LU matrix is solved with, and no other is read",
                          T, lu) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const Pattern lower = triangle_named("random"), upper = reversed(lower);
  Pattern both{"LU", lower.columns, {}};
  for (std::size_t i = 0; i < lower.rows.size(); ++i) {
    const auto l = lower.rows[i], u = upper.rows[i];
    std::vector<std::int64_t> row(l.begin(), l.end());
    for (const std::int64_t j : u) {
      if (j > static_cast<std::int64_t>(i)) row.push_back(j);
    }
    std::reverse(row.begin(), row.end());
    both.rows.push_back(row);
  }
  const auto A = triangle_on_device<T>(exec, both), B = triangle_on_device<T>(exec, both, 77);
  // B, with NaN wherever a solve may not read.
  const auto poisoned = [&](Triangle triangle) {
    const auto host = B.host.template copy_to<Kokkos::HostSpace>(exec);
    exec.fence("heddle::test::copied");
    for (std::size_t i = 0; i < static_cast<std::size_t>(host.rows()); ++i) {
      for (auto k = host.row_ptr()(i); k < host.row_ptr()(i + 1); ++k) {
        const auto e = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(host.col_idx()(e));
        const bool read = triangle == Triangle::upper ? j >= i : j < i;
        if (!read) host.values()(e) = poison<S>();
      }
    }
    return to_device<T>(exec, "half poisoned", host);
  };
  for (const Way& way : unnamed_ways()) {
    CAPTURE(way.name());
    TriangleSolver<T> L(
        exec, A, way, {.diagonal = Diagonal::unit, .ignore_outside = true, .ops = {Op::transpose}});
    TriangleSolver<T> U(
        exec, A, way,
        {.triangle = Triangle::upper, .ignore_outside = true, .ops = {Op::transpose}});
    for (const bool new_values : {false, true}) {
      if (new_values) L.take(exec, poisoned(Triangle::lower));
      if (new_values) U.take(exec, poisoned(Triangle::upper));
      for (const Op op : {Op::none, Op::transpose}) {
        if (!L.solves(op)) continue;
        for (TriangleSolver<T>* half : {&L, &U}) {
          CHECK(half->residual_of(exec, op, 1, 5) <= 1);
          CHECK(half->residual_of(exec, op, 3, 6, false, true) <= 1);
        }
      }
    }
    if (!way.plan) continue;
    CHECK_NOTHROW(U.plan().check_values(exec));
    CHECK_NOTHROW(U.plan().check_values());
  }
}
TEST_CASE_TEMPLATE_APPLY(lu, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: the same bits every time, and by a fresh plan", T, bits) {
  using S = typename T::Scalar;
  using Space = typename T::Space;
  const typename T::Exec exec;
  for (const char* name : {"grid", "long rows", "bidiagonal"}) {
    const auto A = triangle_on_device<T>(exec, triangle_named(name));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const auto b = copy_to<Space>(random_vector<S>(n, 3));
    const Kokkos::View<S*, Space> first("heddle::test::first", n), x("heddle::test::x", n);
    const auto same = [&] {
      exec.fence("heddle::test::solved");
      return same_bits(to_host(x), to_host(first));
    };
    for (const Way& way : {Way{}, without_plan()}) {
      CAPTURE(way.name());
      TriangleSolver<T> solver(exec, A, way);
      solver.apply(exec, b, first);
      for (int repeat = 0; repeat < (emulated ? 5 : 20); ++repeat) {
        solver.apply(exec, b, x);
        CHECK(same());
      }
      if (!way.plan) continue;
      // The printed scheme runs in the same way.
      TriangleSolver<T> again(exec, A, Way{solver.plan().scheme()});
      CHECK(again.plan().scheme() == solver.plan().scheme());
      again.apply(exec, b, x);
      CHECK(same());
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(bits, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: alpha == 0 reads neither T nor b", T, alpha_zero) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const Way& way : unnamed_ways()) {
    CAPTURE(way.name());
    const auto A = triangle_on_device<T>(exec, triangle_named("random"));
    TriangleSolver<T> solver(exec, A, way);
    Kokkos::deep_copy(A.device.values(), poison<S>());
    Kokkos::deep_copy(A.device.col_idx(), typename T::Ordinal(-1));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const Vectors<S, typename T::Space> b(n, 5, false), x(n, 5, true);
    fill_with_poison(b.data());
    fill_with_poison(x.data());
    solver.apply(exec, Op::none, S(0), b.view(), x.view());
    exec.fence("heddle::test::solved");
    const auto result = to_host(x.data());
    for (std::size_t i = 0; i < 5 * n; ++i) CHECK(result(i) == S(0));
  }
}
TEST_CASE_TEMPLATE_APPLY(alpha_zero, TriangleTypes);

// Every wait ends, whatever else the device does.

TEST_CASE_TEMPLATE_DEFINE("sptrsv waits: many times more rows than run", T, large) {
  using Exec = typename T::Exec;
  const Exec exec;
  Watchdog watchdog("large triangles");
  const auto rows = more_rows_than_run<Exec>();
  const DeviceMatrix<T> matrices[] = {triangle_on_device<T>(exec, large_random(rows)),
                                      triangle_on_device<T>(exec, large_grid(rows)),
                                      triangle_on_device<T>(exec, long_chain(rows))};
  std::size_t turn = 0;  // each scheme solves one of them
  for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 222)) {
    CAPTURE(scheme.to_string());
    // A launch for each of a million levels would need seconds.
    const bool any = !backends::has_lanes<Exec> || !scheme.has("level-set");
    const auto& A = matrices[turn++ % (any ? 3 : 2)];
    CAPTURE(A.name);
    CHECK(TriangleSolver<T>(exec, A, {scheme}).residual_of(exec, Op::none, 1, 3) <= 1);
    watchdog.progress();
  }
  for (const auto& A : matrices) {
    CAPTURE(A.name);
    for (const int vectors : {1, 2}) {
      CHECK(TriangleSolver<T>(exec, A, without_plan(2)).residual_of(exec, Op::none, vectors, 3) <=
            1);
      watchdog.progress();
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(large, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv waits: two solves at once, of different priority", T, two) {
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Space = typename T::Space;
  const Exec exec;
  Watchdog watchdog("two solves at once");
  const UnequalInstances<Exec> instances(exec);
  const Exec low = instances.low(), high = instances.high();
  const auto rows = more_rows_than_run<Exec>();
  const auto wide = triangle_on_device<T>(exec, large_random(rows));
  const auto grid = triangle_on_device<T>(exec, large_grid(rows));
  using Vector = Kokkos::View<S*, Space>;
  const auto vector = [&](const DeviceMatrix<T>& A) {
    return Vector("heddle::test::x", static_cast<std::size_t>(A.host.rows()));
  };
  const auto right = [&](const DeviceMatrix<T>& A) {
    return copy_to<Space>(random_vector<S>(static_cast<std::size_t>(A.host.rows()), 5));
  };
  const Vector b_wide = right(wide), b_grid = right(grid);
  for (const Way& way : sampled_ways(backends::describe(exec), 283)) {
    CAPTURE(way.name());
    TriangleSolver<T> on_low(exec, wide, way), on_high(exec, grid, way);
    const Vector expected_low = vector(wide), expected_high = vector(grid);
    on_low.apply(exec, b_wide, expected_low);
    on_high.apply(exec, b_grid, expected_high);
    exec.fence("heddle::test::alone");
    std::vector<Vector> low_x, high_x;
    for (int i = 0; i < 3; ++i) {
      low_x.push_back(vector(wide));
      high_x.push_back(vector(grid));
    }
    exec.fence("heddle::test::vectors");
    for (std::size_t i = 0; i < low_x.size(); ++i) {
      on_low.apply(low, b_wide, low_x[i]);
      on_high.apply(high, b_grid, high_x[i]);
    }
    low.fence("heddle::test::low");
    high.fence("heddle::test::high");
    for (std::size_t i = 0; i < low_x.size(); ++i) {
      CHECK(same_bits(to_host(low_x[i]), to_host(expected_low)));
      CHECK(same_bits(to_host(high_x[i]), to_host(expected_high)));
    }
    watchdog.progress();
  }
}
TEST_CASE_TEMPLATE_APPLY(two, TriangleTypes);

// On a CPU, and on a device that it emulates, a launch returns when it is done.
TEST_CASE_TEMPLATE_DEFINE("sptrsv waits: a device of which others leave one multiprocessor", T,
                          held) {
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  if constexpr (backends::has_lanes<Exec> && !emulated) {
    const Exec exec;
    Watchdog watchdog("a device that others hold");
    const auto parts = Kokkos::Experimental::partition_space(kokkos_space(exec), 1, 1, 1);
    const Exec hold(parts[0]), talk(parts[1]), solve(parts[2]);
    const auto A = triangle_on_device<T>(exec, large_random(more_rows_than_run<Exec>() / 4));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const auto b = copy_to<typename T::Space>(random_vector<S>(n, 5));
    const Kokkos::View<S*, typename T::Space> x("heddle::test::x", n), alone("heddle::test::x", n);
    for (const Way& way : sampled_ways(backends::describe(exec), 344)) {
      CAPTURE(way.name());
      TriangleSolver<T> solver(exec, A, way);
      solver.apply(solve, b, alone);
      solve.fence("heddle::test::alone");
      {
        HeldDevice<Exec> device(hold, talk);
        exec.fence("heddle::test::ready");
        device.hold();
        solver.apply(solve, b, x);
        solve.fence("heddle::test::solved");
      }
      CHECK(same_bits(to_host(x), to_host(alone)));
      watchdog.progress();
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(held, TriangleTypes);

#ifndef HEDDLE_EMULATED
// Many solves in a row: none leaves state for the next.
namespace {

/// A matrix with two sets of values, right-hand sides, and the results of solvers that solve once.
template <class T>
class Streak {
 public:
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Space = typename T::Space;
  using Several = Vectors<S, Space>;
  static constexpr std::size_t sides = 5;

  Streak(const Exec& exec, const Pattern& pattern)
      : matrices_{triangle_on_device<T>(exec, pattern, 1), triangle_on_device<T>(exec, pattern, 2)},
        n_(pattern.rows.size()) {
    for (std::size_t k = 0; k < sides; ++k) b_.push_back(random_vectors<S>(n_, 6, true, 10 + k));
  }

  const DeviceMatrix<T>& matrix(std::size_t which) const { return matrices_[which]; }
  Several vectors(int columns) const {
    return Several(n_, static_cast<std::size_t>(columns), true);
  }
  /// The first columns of right-hand side k.
  Several side(std::size_t k, int columns) const {
    const auto size = static_cast<std::size_t>(columns) * n_;
    const auto part = Kokkos::subview(b_[k].data(), std::pair(std::size_t{0}, size));
    Several side = vectors(columns);
    Kokkos::deep_copy(side.data(), part);
    return side;
  }
  /// The bits of a solver that solves once; they must be a solution.
  HostVector<S> expected(const Exec& exec, const Way& way, std::size_t which, std::size_t k,
                         int columns) const {
    TriangleSolver<T> solver(exec, matrices_[which], way);
    const Several b = side(k, columns), x = vectors(columns);
    solver.apply(exec, b.view(), x.view());
    exec.fence("heddle::test::expected");
    const auto host = x.template in<Kokkos::HostSpace>();
    const auto right = b.template in<Kokkos::HostSpace>();
    CHECK(residual(matrices_[which].host, Op::none, host.view(), S(1), right.view()) <= 1);
    return host.data();
  }

 private:
  DeviceMatrix<T> matrices_[2];
  std::size_t n_;
  std::vector<Vectors<S, Kokkos::HostSpace>> b_;
};

/// Every way, each with one of the patterns.
template <class T, class Body>
void for_every_way(const typename T::Exec& exec, const Body& body) {
  std::size_t turn = 0;
  const char* const names[] = {"grid", "random", "bidiagonal", "warps of chains"};
  for (const Way& way : sampled_ways(backends::describe(exec), 561)) {
    CAPTURE(way.name());
    const char* const name = names[turn++ % std::size(names)];
    CAPTURE(name);
    body(way, triangle_named(name));
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv streak: 100 solves, and new numbers and columns between", T,
                          solves) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  Watchdog watchdog("100 solves");
  for_every_way<T>(exec, [&](const Way& way, const Pattern& pattern) {
    const Streak<T> streak(exec, pattern);
    TriangleSolver<T> solver(exec, streak.matrix(0), way);
    // More after fewer and fewer after more, none, in one pass and in two.
    const int columns[] = {1, 3, 1, 6, 0, 1, 4, 2, 1};
    struct Solve {
      std::size_t which, side;
      int columns;
      Vectors<S, typename T::Space> b, x;
    };
    std::vector<Solve> done;
    for (std::size_t i = 0; i < 100; ++i) {
      const int count = columns[i % std::size(columns)];
      done.push_back({i / 3 % 2, i % Streak<T>::sides, count,
                      streak.side(i % Streak<T>::sides, count), streak.vectors(count)});
    }
    Kokkos::fence("heddle::test::right_hand_sides");
    // No waits after this line.
    for (std::size_t i = 0; i < done.size(); ++i) {
      const Solve& solve = done[i];
      if (i % 3 == 0) solver.take(exec, streak.matrix(solve.which));
      const bool in_place = i % 4 == 3;
      solver.apply(exec, solve.b.view(), in_place ? solve.b.view() : solve.x.view());
      if (i % 10 == 9) solver.apply(exec, Op::none, S(0), solve.x.view(), solve.x.view());
    }
    exec.fence("heddle::test::solved");
    for (std::size_t i = 0; i < done.size(); ++i) {
      const Solve& solve = done[i];
      if (i % 10 == 9 && i % 4 != 3) continue;        // set to zero
      if (solve.columns == 0 || i % 7 > 2) continue;  // some of them: each makes a solver
      CAPTURE(i);
      const auto& x = i % 4 == 3 ? solve.b : solve.x;
      CHECK(same_bits(to_host(x.data()),
                      streak.expected(exec, way, solve.which, solve.side, solve.columns)));
    }
    watchdog.progress();
  });
}
TEST_CASE_TEMPLATE_APPLY(solves, TriangleTypes);

// A replayed solve cannot use a count of the host: it does not know how many came before.
TEST_CASE_TEMPLATE_DEFINE("sptrsv streak: 100 replays of a graph, and solves between", T, replays) {
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  if constexpr (can_capture<Exec>) {
    const Exec exec;
    const UnequalInstances<Exec> instances(exec);
    const Exec stream = instances.low();
    Watchdog watchdog("100 replays");
    for_every_way<T>(exec, [&](const Way& way, const Pattern& pattern) {
      const Streak<T> streak(exec, pattern);
      TriangleSolver<T> solver(exec, streak.matrix(0), way);
      std::vector<Vectors<S, typename T::Space>> sides;
      std::vector<HostVector<S>> expected;
      for (std::size_t k = 0; k < Streak<T>::sides; ++k) {
        sides.push_back(streak.side(k, 1));
        expected.push_back(streak.expected(exec, way, 0, k, 1));
      }
      const auto expected_three = streak.expected(exec, way, 0, 1, 3);
      const auto b = streak.vectors(1), x = streak.vectors(1);
      const auto b_three = streak.side(1, 3);
      std::vector<Vectors<S, typename T::Space>> results, results_three;
      for (int i = 0; i < 100; ++i) results.push_back(streak.vectors(1));
      for (int i = 0; i < 20; ++i) results_three.push_back(streak.vectors(3));
      Kokkos::fence("heddle::test::vectors");
      solver.apply(stream, b.view(), x.view());  // kernels are loaded before the capture
      stream.fence("heddle::test::loaded");
      const CapturedWork<Exec> graph(stream, [&] { solver.apply(stream, b.view(), x.view()); });
      for (std::size_t i = 0; i < results.size(); ++i) {
        Kokkos::deep_copy(kokkos_space(stream), b.data(), sides[i % sides.size()].data());
        graph.launch(stream);
        Kokkos::deep_copy(kokkos_space(stream), results[i].data(), x.data());
        if (i % 5 != 2) continue;
        solver.apply(stream, b_three.view(), results_three[i / 5].view());
      }
      stream.fence("heddle::test::replayed");
      for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(same_bits(to_host(results[i].data()), expected[i % sides.size()]));
      }
      for (const auto& three : results_three) {
        CHECK(same_bits(to_host(three.data()), expected_three));
      }
      watchdog.progress();
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(replays, TriangleTypes);
#endif

}  // namespace heddle::test
