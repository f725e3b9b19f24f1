// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that are moved, empty, or made without an instance.
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

using Csr = Formats<Shared<CsrFormat>>;
using Type = OnePlanType<Csr>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

static_assert(!std::is_copy_constructible_v<Plan> && !std::is_copy_assignable_v<Plan>);
static_assert(std::is_nothrow_destructible_v<Plan> && std::is_move_constructible_v<Plan> &&
              std::is_move_assignable_v<Plan>);

namespace {

const Scheme scalar("csr", {{"scalar"}});

/// Checks that `call` throws an Error: `called` of a plan was called on an object that `state`.
template <class F>
void check_says(const char* called, const char* state, const F& call) {
  const std::string expected =
      std::string("SpmvPlan::") + called + " was called on an object that " + state;
  CHECK_THROWS_WITH_AS(call(), doctest::Contains(expected.c_str()), Error);
}

}  // namespace

TEST_CASE("plan: one that was moved from says so, and can be assigned to") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix(), {.scheme = scalar});
  Plan moved(std::move(plan));
  const Kokkos::View<double*, Type::Space> x("x", A.rows_of_x()), y("y", A.rows_of_y());
  check_says("apply", "was moved from", [&] { plan.apply(exec, 1.0, x, 0.0, y); });
  check_says("apply", "was moved from", [&] { plan.apply(exec, 0.0, x, 0.0, y); });
  check_says("prepare", "was moved from", [&] { plan.prepare(exec, Op::transpose); });
  check_says("update_values", "was moved from", [&] { plan.update_values(exec, A.matrix()); });
  check_says("scheme", "was moved from", [&] { (void)plan.scheme(); });
  check_says("reason", "was moved from", [&] { (void)plan.reason(); });
  check_says("ranking", "was moved from", [&] { (void)plan.ranking(); });
  check_says("moved_bytes", "was moved from", [&] { (void)plan.moved_bytes(); });
  check_says("bytes", "was moved from", [&] { (void)plan.bytes(); });
  check_says("setup_seconds", "was moved from", [&] { (void)plan.setup_seconds(); });
  CHECK(apply_and_compare(exec, moved, A, Op::none, 1.0, 0.0) == "");
  plan = std::move(moved);
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  check_says("apply", "was moved from", [&] { moved.apply(exec, 1.0, x, 0.0, y); });
}

TEST_CASE("plan: an empty one says so, and can be assigned to") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  const Kokkos::View<double*, Type::Space> x("x", A.rows_of_x()), y("y", A.rows_of_y());
  Plan plan;
  check_says("apply", "is empty", [&] { plan.apply(exec, 1.0, x, 0.0, y); });
  check_says("prepare", "is empty", [&] { plan.prepare(exec, Op::transpose); });
  check_says("update_values", "is empty", [&] { plan.update_values(exec, A.matrix()); });
  check_says("scheme", "is empty", [&] { (void)plan.scheme(); });
  check_says("has_dot", "is empty", [&] { (void)plan.has_dot(); });
  check_says("rows", "is empty", [&] { (void)plan.rows(); });
  check_says("columns", "is empty", [&] { (void)plan.columns(); });
  check_says("bytes", "is empty", [&] { (void)plan.bytes(); });
  Plan other = std::move(plan);
  check_says("apply", "is empty", [&] { other.apply(exec, 1.0, x, 0.0, y); });
  other = Plan(exec, A.matrix(), {.scheme = scalar});
  CHECK(apply_and_compare(exec, other, A, Op::none, 1.0, 0.0) == "");
}

TEST_CASE("plan: without an instance it runs on the default one") {
  const auto A = to_device<Type>(Exec(), pattern_named("power law"));
  const Kokkos::View<double*, Type::Space> x("x", A.rows_of_x()), y("y", A.rows_of_y()),
      expected("expected", A.rows_of_y());
  Kokkos::deep_copy(x, 0.75);
  Plan named(Exec(), A.matrix());
  Plan plan(A.matrix());
  plan.update_values(A.matrix());
  const auto check_same = [&] {
    Kokkos::fence("heddle::test::applied");
    const auto of_plan = to_host(y), of_named = to_host(expected);
    for (std::size_t i = 0; i < of_plan.extent(0); ++i) REQUIRE(of_plan(i) == of_named(i));
  };
  named.apply(Exec(), x, expected);
  plan.apply(x, y);
  check_same();
  named.apply(Exec(), 2.0, x, -1.0, expected);
  plan.apply(2.0, x, -1.0, y);
  check_same();
  named.apply(Exec(), Op::conjugate, 3.0, x, 0.5, expected);
  plan.apply(Op::conjugate, 3.0, x, 0.5, y);
  check_same();
}

}  // namespace heddle::test
