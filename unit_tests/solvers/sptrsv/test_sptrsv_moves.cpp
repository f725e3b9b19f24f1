// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and workspaces of triangular solves move and do not copy; moved-from ones throw.
#include <doctest/doctest.h>

#include <heddle/wavefronts.hpp>

#include "../../../solvers/ordered/solved_values.hpp"
#include "../../support/moves_only.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

using Type = OneTriangleType;
using Exec = Type::Exec;
using Space = Type::Space;
using Plan = Type::Plan<>;
using Workspace = SptrsvWorkspace<Exec, double>;

static_assert(moves_only<Plan>);
static_assert(moves_only<Workspace>);
static_assert(moves_only<SptrsvWorkspace<Portable<Exec>, float>>);
static_assert(moves_only<Wavefronts<Exec>>);
// The holder of the flags and tickets of a GPU's plan, on any device.
static_assert(moves_only<heddle::detail::ordered::GpuSolve<Exec, double>>);

struct ReadsNothing {
  template <class Visit>
  KOKKOS_FUNCTION void operator()(int, const Visit&) const {}
};
struct DoesNothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

}  // namespace

TEST_CASE("sptrsv: a plan that was moved from names what was called") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("random"));
  const auto B = triangle_on_device<Type>(exec, triangle_named("grid"));
  Plan first(exec, A.matrix(), {.ops = {Op::transpose}});
  Plan second = std::move(first);
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  CHECK_THROWS_WITH_AS(
      first.apply(exec, 1.0, x, x),
      doctest::Contains("SptrsvPlan::apply was called on an object that was moved"), Error);
  CHECK_THROWS_WITH(first.apply(exec, 0.0, x, x), doctest::Contains("SptrsvPlan::apply"));
  CHECK_THROWS_WITH(first.apply(exec, Op::transpose, 1.0, x, x),
                    doctest::Contains("SptrsvPlan::apply"));
  CHECK_THROWS_WITH(first.prepare(exec, Op::transpose), doctest::Contains("SptrsvPlan::prepare"));
  CHECK_THROWS_WITH(first.update_values(exec, A.matrix()),
                    doctest::Contains("SptrsvPlan::update_values"));
  CHECK_THROWS_WITH(first.bad_row(), doctest::Contains("SptrsvPlan::bad_row"));
  CHECK_THROWS_WITH(first.check_values(exec), doctest::Contains("SptrsvPlan::check_values"));
  CHECK_THROWS_WITH((void)first.scheme(), doctest::Contains("SptrsvPlan::scheme"));
  CHECK_THROWS_WITH((void)first.levels(), doctest::Contains("SptrsvPlan::levels"));
  CHECK_THROWS_WITH((void)first.features(exec), doctest::Contains("SptrsvPlan::features"));
  CHECK_THROWS_WITH((void)first.setup_seconds(), doctest::Contains("SptrsvPlan::setup_seconds"));
  CHECK_THROWS_WITH((void)first.bytes(), doctest::Contains("SptrsvPlan::bytes"));

  CHECK(solve_randomly<Type>(exec, second, A, Triangle::lower, 1, 3) <= 1);
  first = Plan(exec, B.matrix());
  CHECK(solve_randomly<Type>(exec, first, B, Triangle::lower, 2, 4) <= 1);
  CHECK(solve_randomly<Type>(exec, second, A, Triangle::lower, 2, 5) <= 1);
  second = std::move(first);
  CHECK(solve_randomly<Type>(exec, second, B, Triangle::lower, 1, 6) <= 1);
  CHECK_THROWS_AS(first.apply(exec, 1.0, x, x), Error);
}

TEST_CASE("sptrsv: an empty plan names what was called, and takes another") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("random"));
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(A.host.rows()));
  Plan plan;
  CHECK_THROWS_WITH_AS(plan.apply(exec, 1.0, x, x),
                       doctest::Contains("SptrsvPlan::apply was called on an object that is empty"),
                       Error);
  CHECK_THROWS_WITH(plan.update_values(exec, A.matrix()),
                    doctest::Contains("SptrsvPlan::update_values"));
  CHECK_THROWS_WITH((void)plan.scheme(), doctest::Contains("SptrsvPlan::scheme"));
  CHECK_THROWS_WITH(plan.check_values(exec), doctest::Contains("SptrsvPlan::check_values"));
  Plan other = std::move(plan);
  CHECK_THROWS_WITH((void)other.bytes(), doctest::Contains("is empty"));
  plan = Plan(exec, A.matrix());
  CHECK(solve_randomly<Type>(exec, plan, A, Triangle::lower, 2, 3) <= 1);
}

TEST_CASE("sptrsv: without an instance a plan runs on the default one") {
  const auto A = triangle_on_device<Type>(Exec(), triangle_named("random"));
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Kokkos::View<double*, Space> b("heddle::test::b", n), x("heddle::test::x", n),
      expected("heddle::test::expected", n);
  Kokkos::deep_copy(b, 1.0);
  Plan named(Exec(), A.matrix(), {.ops = {Op::transpose}});
  Plan plan(A.matrix(), {.ops = {Op::transpose}});
  plan.update_values(A.matrix());
  const auto check_same = [&] {
    Kokkos::fence("heddle::test::applied");
    const auto of_plan = to_host(x), of_named = to_host(expected);
    for (std::size_t i = 0; i < n; ++i) REQUIRE(of_plan(i) == of_named(i));
  };
  for (const Op op : {Op::none, Op::transpose}) {
    named.apply(Exec(), op, 2.0, b, expected);
    plan.apply(op, 2.0, b, x);
    check_same();
  }
  named.apply(Exec(), b, expected);
  plan.apply(b, x);
  check_same();
}

TEST_CASE("sptrsv: a workspace that was moved from is refused") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("random"));
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  Workspace first(exec, A.host.rows());
  Workspace second = std::move(first);
  CHECK_THROWS_WITH_AS(sptrsv(exec, 1.0, A.matrix(), x, x, first),
                       doctest::Contains("a workspace that was moved from"), Error);
  CHECK_NOTHROW(sptrsv(exec, 1.0, A.matrix(), x, x, second));
  first = Workspace(exec, A.host.rows());
  CHECK_NOTHROW(sptrsv(exec, 1.0, A.matrix(), x, x, first));
  exec.fence("heddle::test::solved");
}

TEST_CASE("wavefronts: a loop that was moved from names what was called") {
  const Exec exec;
  Wavefronts<Exec> first(exec, 1000, ReadsNothing());
  const Wavefronts<Exec> second = std::move(first);
  CHECK_THROWS_WITH_AS(first.for_each(exec, DoesNothing()),
                       doctest::Contains("Wavefronts::for_each was called on an object that"),
                       Error);
  CHECK_THROWS_WITH(first.for_each_place(exec, "heddle::test::places", DoesNothing()),
                    doctest::Contains("Wavefronts::for_each_place"));
  CHECK_THROWS_WITH((void)first.place_order(), doctest::Contains("Wavefronts::place_order"));
  CHECK_NOTHROW(second.for_each(exec, DoesNothing()));
  first = Wavefronts<Exec>();
  CHECK_NOTHROW(first.for_each(exec, DoesNothing()));
  exec.fence("heddle::test::run");
}

}  // namespace heddle::test
