// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sptrsv() without a plan: its own errors and threads; what it shares with plans has
// test_sptrsv.cpp.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../support/odd_values.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

template <class T>
using Workspace = SptrsvWorkspace<typename T::Exec, typename T::Scalar>;

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

}  // namespace

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
  const Workspace<Type> workspace(exec, 20000, 4);
  CHECK(workspace.vectors() == 4);
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
