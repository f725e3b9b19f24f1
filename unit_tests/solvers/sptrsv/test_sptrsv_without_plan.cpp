// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sptrsv() without a plan.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../support/held_device.hpp"
#include "../../support/odd_values.hpp"
#include "../../support/sptrsv_check.hpp"
#include "../../support/streams.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

template <class T>
using Workspace = SptrsvWorkspace<typename T::Exec, typename T::Scalar>;

/// Solves with random right-hand sides and poisoned x, and checks x against the oracle.
template <class T>
double solve(const typename T::Exec& exec, const Workspace<T>& workspace, const DeviceMatrix<T>& A,
             const SptrsvOptions& options, int vectors, bool apart, bool in_place,
             std::uint64_t seed) {
  using S = typename T::Scalar;
  const S alpha = is_complex<S> ? S(RealOf<S>(0.75)) : S(-1.25);
  const auto n = static_cast<std::size_t>(A.host.rows());
  const auto b = random_vectors<S>(n, static_cast<std::size_t>(vectors), apart, seed);
  const auto b_device = b.template in<typename T::Space>();
  Vectors<S, typename T::Space> x(n, static_cast<std::size_t>(vectors), apart);
  if (in_place) {
    x = b_device;
  } else {
    fill_with_poison(x.data());
  }
  sptrsv(exec, alpha, A.matrix(), b_device.view(), x.view(), workspace, options);
  exec.fence("heddle::test::solved");
  const auto triangle = triangle_of(A.host, options.triangle, options.diagonal);
  return residual(triangle, Op::none, x.template in<Kokkos::HostSpace>().view(), alpha, b.view());
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: every triangle", T, every_triangle) {
  const typename T::Exec exec;
  Watchdog watchdog("sptrsv without a plan");
  std::uint64_t seed = 1;
  for (const Pattern& lower : triangle_patterns()) {
    for (const bool upper : {false, true}) {
      const auto A = triangle_on_device<T>(exec, upper ? reversed(lower) : lower);
      CAPTURE(A.name);
      for (const int room : {1, 4}) {
        const Workspace<T> workspace(exec, A.host.rows(), room);
        CHECK(workspace.vectors() == room);
        for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
          const SptrsvOptions options{upper ? Triangle::upper : Triangle::lower, diagonal};
          for (const int vectors : {1, 0, 5, 2}) {
            CAPTURE(vectors);
            const bool apart = seed % 2 == 0, in_place = seed % 3 == 0;
            CHECK(solve(exec, workspace, A, options, vectors, apart, in_place, seed) <= 1);
            ++seed;
          }
        }
      }
      watchdog.progress();
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(every_triangle, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: many times more rows than run", T, large) {
  using Exec = typename T::Exec;
  const Exec exec;
  Watchdog watchdog("large sptrsv without a plan");
  // Without waits one thread of a GPU solves, which would take minutes with more rows.
  const auto rows = backends::waits_make_progress<Exec> ? more_rows_than_run<Exec>() : 20000;
  for (const Pattern& lower : {long_chain(rows), large_grid(rows), large_random(rows)}) {
    const auto A = triangle_on_device<T>(exec, lower);
    CAPTURE(A.name);
    const Workspace<T> workspace(exec, A.host.rows(), 2);
    for (const int vectors : {1, 2}) {
      CHECK(solve(exec, workspace, A, {}, vectors, true, false, 3) <= 1);
      watchdog.progress();
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(large, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: one LU matrix, of which it reads a part", T, lu) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const Pattern lower = triangle_named("random"), upper = reversed(lower);
  Pattern both{"LU", lower.columns, {}};
  for (std::size_t i = 0; i < lower.rows.size(); ++i) {
    const auto l = lower.rows[i], u = upper.rows[i];
    std::vector<std::int64_t> row(u.begin(), u.end());
    for (const std::int64_t j : l) {
      if (j < static_cast<std::int64_t>(i)) row.push_back(j);
    }
    both.rows.push_back(row);
  }
  const auto A = triangle_on_device<T>(exec, both);
  const Workspace<T> workspace(exec, A.host.rows() + 10);
  for (const bool is_upper : {false, true}) {
    const SptrsvOptions options{is_upper ? Triangle::upper : Triangle::lower,
                                is_upper ? Diagonal::stored : Diagonal::unit, true};
    // Entries that a solve may not read are NaN.
    const auto poisoned = A.host.template copy_to<Kokkos::HostSpace>(exec);
    exec.fence("heddle::test::copied");
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.host.rows()); ++i) {
      for (auto k = A.host.row_ptr()(i); k < A.host.row_ptr()(i + 1); ++k) {
        const auto e = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(A.host.col_idx()(e));
        const bool read = is_upper ? j >= i : j < i;
        if (!read) poisoned.values()(e) = poison<S>();
      }
    }
    const auto B = to_device<T>(exec, "half poisoned", poisoned);
    CHECK(solve(exec, workspace, B, options, 1, true, false, 5) <= 1);
    CHECK(solve(exec, workspace, B, options, 3, false, true, 6) <= 1);
  }
}
TEST_CASE_TEMPLATE_APPLY(lu, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: the same bits every time", T, bits) {
  using S = typename T::Scalar;
  using Space = typename T::Space;
  const typename T::Exec exec;
  for (const char* name : {"grid", "long rows", "bidiagonal"}) {
    const auto A = triangle_on_device<T>(exec, triangle_named(name));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const auto b = copy_to<Space>(random_vector<S>(n, 3));
    const Kokkos::View<S*, Space> first("heddle::test::first", n), x("heddle::test::x", n);
    const Workspace<T> workspace(exec, A.host.rows());
    sptrsv(exec, S(1), A.matrix(), b, first, workspace);
    for (int repeat = 0; repeat < 20; ++repeat) {
      sptrsv(exec, S(1), A.matrix(), b, x, workspace);
      exec.fence("heddle::test::solved");
      CHECK(same_bits(to_host(x), to_host(first)));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(bits, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: numbers that are none reach who needs them", T,
                          odd) {
  using S = typename T::Scalar;
  using Space = typename T::Space;
  const typename T::Exec exec;
  Watchdog watchdog("odd values without a plan");
  for (const char* name : {"two chains", "grid", "random"}) {
    const auto A = triangle_on_device<T>(exec, triangle_named(name));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const Workspace<T> workspace(exec, A.host.rows());
    const auto b = random_vector<S>(n, 3);
    const auto solution = [&](const HostVector<S>& right, const DeviceMatrix<T>& matrix) {
      const auto x = copy_to<Space>(right);
      sptrsv(exec, S(1), matrix.matrix(), x, x, workspace);
      exec.fence("heddle::test::solved");
      return copy_to<Kokkos::HostSpace>(x);
    };
    const auto clean = solution(b, A);
    for (const OddValue& odd : odd_values) {
      CAPTURE(odd.name);
      for (const std::size_t row : {std::size_t{0}, n / 3, n - 1}) {
        CAPTURE(row);
        auto right = copy_to<Kokkos::HostSpace>(b);
        right(row) = make_odd<S>(odd);
        const auto from = static_cast<std::int64_t>(row);
        CHECK(spreads_wrongly(A.host, Triangle::lower, from, solution(right, A), clean, true) ==
              "");
        const auto host = A.host.template copy_to<Kokkos::HostSpace>(exec);
        exec.fence("heddle::test::copied");
        host.values()(static_cast<std::size_t>(A.host.row_ptr()(row))) = make_odd<S>(odd);
        const bool is_diagonal = A.host.row_ptr()(row + 1) - A.host.row_ptr()(row) == 1;
        if (is_diagonal && odd.infinite()) continue;  // x / infinity is zero
        const auto B = to_device<T>(exec, "odd", host);
        CHECK(spreads_wrongly(A.host, Triangle::lower, from, solution(b, B), clean, true) == "");
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(odd, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: alpha == 0 reads neither T nor b", T, zero) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = triangle_on_device<T>(exec, triangle_named("random"));
  Kokkos::deep_copy(A.device.values(), poison<S>());
  Kokkos::deep_copy(A.device.col_idx(), typename T::Ordinal(-1));
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Vectors<S, typename T::Space> b(n, 5, false), x(n, 5, true);
  fill_with_poison(b.data());
  fill_with_poison(x.data());
  const Workspace<T> workspace(exec, A.host.rows());
  sptrsv(exec, S(0), A.matrix(), b.view(), x.view(), workspace);
  exec.fence("heddle::test::solved");
  const auto result = to_host(x.data());
  for (std::size_t i = 0; i < 5 * n; ++i) CHECK(result(i) == S(0));
}
TEST_CASE_TEMPLATE_APPLY(zero, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: a device that others hold, and a graph", T,
                          elsewhere) {
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  if constexpr (backends::has_lanes<Exec> && !emulated) {
    const Exec exec;
    Watchdog watchdog("sptrsv without a plan, elsewhere");
    const UnequalInstances<Exec> instances(exec);
    const Exec solve = instances.low();
    const auto A = triangle_on_device<T>(exec, large_random(100000));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const Workspace<T> workspace(exec, A.host.rows());
    using Vector = Kokkos::View<S*, typename T::Space>;
    const Vector b[] = {copy_to<typename T::Space>(random_vector<S>(n, 5)),
                        copy_to<typename T::Space>(random_vector<S>(n, 6))};
    const Vector expected[] = {Vector("heddle::test::expected", n),
                               Vector("heddle::test::expected", n)};
    const Vector right("heddle::test::b", n), x("heddle::test::x", n);
    for (const int k : {0, 1}) sptrsv(solve, S(1), A.matrix(), b[k], expected[k], workspace);
    solve.fence("heddle::test::alone");
    {
      const auto others = two_instances(exec);
      HeldDevice<Exec> device(others[0], others[1]);
      exec.fence("heddle::test::ready");
      device.hold();
      sptrsv(solve, S(1), A.matrix(), b[0], x, workspace);
      solve.fence("heddle::test::solved");
    }
    CHECK(same_bits(to_host(x), to_host(expected[0])));
    watchdog.progress();
    if constexpr (can_capture<Exec>) {
      const CapturedWork<Exec> graph(solve,
                                     [&] { sptrsv(solve, S(1), A.matrix(), right, x, workspace); });
      for (int i = 0; i < 100; ++i) {
        Kokkos::deep_copy(kokkos_space(solve), right, b[i % 2]);
        graph.launch(solve);
        solve.fence("heddle::test::replayed");
        if (i % 10 < 2) CHECK(same_bits(to_host(x), to_host(expected[i % 2])));
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(elsewhere, TriangleTypes);

/// A parallel region inside another gets one thread, whatever number it requests.
template <class T>
struct SolveInside {
  using Scratch = backends::NoScratch;
  using Vector = Kokkos::View<typename T::Scalar*, typename T::Space>;
  typename T::Matrix matrix;
  const Workspace<T>* workspaces;
  Vector b;
  Vector* x;

  template <class Team>
  void operator()(const Team& team, Scratch&) const {
    const auto i = team.index();
    sptrsv(typename T::Exec(), 1.0, matrix, b, x[i], workspaces[i]);
  }
};

TEST_CASE_TEMPLATE_DEFINE("sptrsv without a plan: fewer threads than asked for", T, few) {
  const typename T::Exec exec;
  const auto A = triangle_on_device<T>(exec, large_random(20000));
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Workspace<T> workspaces[] = {Workspace<T>(exec, A.host.rows()),
                                     Workspace<T>(exec, A.host.rows())};
  using Vector = typename SolveInside<T>::Vector;
  const auto b = copy_to<typename T::Space>(random_vector<double>(n, 3));
  const Vector expected("heddle::test::expected", n);
  Vector x[] = {Vector("heddle::test::x", n), Vector("heddle::test::x", n)};
  const Watchdog watchdog("sptrsv in a parallel region");
  sptrsv(exec, 1.0, A.matrix(), b, expected, workspaces[0]);
  backends::launch<backends::Shape<1>>(exec, "heddle::test::outside", 2,
                                       SolveInside<T>{A.matrix(), workspaces, b, x});
  for (const Vector& one : x) CHECK(same_bits(one, expected));
}
TEST_CASE_TEMPLATE_APPLY(
    few, detail::Triangles<Every<std::tuple<double>, UsualIndices, NestingBackends>>::type);

namespace {
using Type = OneTriangleType;
using Exec = Type::Exec;
using Vector = Kokkos::View<double*, Type::Space>;
}  // namespace

TEST_CASE("sptrsv without a plan: what it refuses, and what it makes NaN") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("diagonal"));
  const Workspace<Type> workspace(exec, 300), short_one(exec, 299);
  const Vector b("heddle::test::b", 300), x("heddle::test::x", 300), y("heddle::test::y", 301);
  for (const Op op : {Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    CHECK_THROWS_WITH(sptrsv(exec, op, 1.0, A.matrix(), b, x, workspace),
                      doctest::Contains("make an SptrsvPlan"));
  }
  CHECK_NOTHROW(sptrsv(exec, Op::none, 1.0, A.matrix(), b, x, workspace));
  CHECK_THROWS_WITH(sptrsv(exec, 1.0, A.matrix(), b, x, workspace,
                           {.scheme = Scheme::parse("sptrsv/sequential")}),
                    doctest::Contains("which runs pinned schemes"));
  CHECK_THROWS_WITH(sptrsv(exec, 1.0, A.matrix(), b, x, short_one),
                    doctest::Contains("the workspace is for 299 rows, and T has 300"));
  CHECK_THROWS_WITH(sptrsv(exec, 1.0, A.matrix(), b, y, workspace),
                    doctest::Contains("x has 301 rows"));
  CHECK_THROWS_WITH(sptrsv(exec, 1.0, A.matrix(), Kokkos::subview(y, std::pair(0, 300)),
                           Kokkos::subview(y, std::pair(1, 301)), workspace),
                    doctest::Contains("overlaps b"));
  const auto wide = to_device<Type>(exec, Pattern{"wide", 3, {{0}, {1}}});
  CHECK_THROWS_WITH(sptrsv(exec, 1.0, wide.matrix(), b, x, workspace),
                    doctest::Contains("the matrix of a triangular solve is 2 x 3"));
  const auto LU = triangle_on_device<Type>(exec, {"outside", 4, {{0}, {1, 3}, {0, 2}, {3, 1}}});
  const Vector right("heddle::test::right", 4), four("heddle::test::four", 4);
  Kokkos::deep_copy(right, 1.0);
  sptrsv(exec, 1.0, LU.matrix(), right, four, workspace);
  exec.fence("heddle::test::solved");
  const auto result = to_host(four);
  CHECK(finite(result(0)));
  CHECK(!finite(result(1)));
  CHECK(finite(result(2)));
  CHECK(!finite(result(3)));
  sptrsv(exec, 1.0, LU.matrix(), right, four, workspace, {.ignore_outside = true});
  exec.fence("heddle::test::solved");
  const auto ignored = to_host(four);
  for (std::size_t i = 0; i < 4; ++i) CHECK(finite(ignored(i)));
}

TEST_CASE("sptrsv without a plan: vectors may be wider than the matrix") {
  const Exec exec;
  const auto A =
      triangle_on_device<TriangleType<Exec, float, Indices32>>(exec, triangle_named("grid"));
  const auto n = static_cast<std::size_t>(A.host.rows());
  const auto b = random_vector<double>(n, 3);
  const auto x = copy_to<Type::Space>(b);
  const Workspace<Type> workspace(exec, A.host.rows());
  sptrsv(exec, 2.0, A.matrix(), x, x, workspace);
  exec.fence("heddle::test::solved");
  CHECK(residual(A.host, Op::none, to_host(x), 2.0, b) <= 1);
}

TEST_CASE("sptrsv without a plan: everything is labelled, and a solve launches and does no more") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, large_random(20000));
  const Vectors<double, Type::Space> b(20000, 3, true), x(20000, 3, false);
  const Recording recording;
  const Workspace<Type> workspace(exec, 20000);
  CHECK(strangers(recording.seen()) == "");
  CHECK(workspace.bytes() <= bytes_held(recording.seen()));
  const auto before = recording.seen().size();
  sptrsv(exec, 1.0, A.matrix(), b.view(), x.view(), workspace);
  sptrsv(exec, 0.0, A.matrix(), b.view(), x.view(), workspace);
  std::vector<Event> seen(recording.seen().begin() + static_cast<std::ptrdiff_t>(before),
                          recording.seen().end());
  exec.fence("heddle::test::solved");
  CHECK(strangers(seen) == "");
  CHECK(count(seen, Event::kernel) == static_cast<int>(seen.size()));
  CHECK(count(seen, Event::kernel) >= 2);
}

}  // namespace heddle::test
