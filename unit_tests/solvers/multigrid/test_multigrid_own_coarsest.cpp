// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coarsest level solved by a part of the user's.
#include <heddle/direct.hpp>

#include "../../../solvers/direct/definitions.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
using Matrix = PlainOperator<Exec, double>::Matrix;
using Parts = MultigridParts<Exec, Matrix>;
using Direct = DirectPlan<Exec, Matrix>;
constexpr int edge = emulated ? 12 : 40;

double largest_difference(const HostVector<double>& one, const HostVector<double>& other) {
  double off = 0, largest = 0;
  for (std::size_t i = 0; i < one.extent(0); ++i) {
    const double error = std::abs(one(i) - other(i));
    off = error <= off ? off : error;
    largest = std::max(largest, std::abs(other(i)));
  }
  return off / largest;
}

}  // namespace

TEST_CASE("a direct plan in place of the dense inverse gives the same cycle, with new values too") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  for (const auto cycle : {MultigridCycle::v, MultigridCycle::w}) {
    const MultigridOptions options{.cycle = cycle, .coarsest_rows = 60};
    Plan inverted(exec, a.matrix(), options);
    Parts parts;
    for (const char* scheme : {"direct/dense", "direct/band"}) {
      CAPTURE(scheme);
      parts.coarsest =
          plan_of_each_level<Direct>(DirectOptions{.vectors = {.count = 3}, .scheme = scheme});
      Plan plan(exec, a.matrix(), parts, options);
      const auto levels = plan.levels().levels;
      REQUIRE(levels.size() > 1);
      REQUIRE(levels.size() == inverted.levels().levels.size());
      CHECK(levels.back().smoother == "a solve of its own");
      CHECK(plan.levels().end == "the last level has a solve of its own");
      CHECK(plan.bytes() > levels.front().bytes);
      check_positive_definite<double>(exec, plan);
      const auto b = right_hand_side<double>(a.n);
      CHECK(largest_difference(applied(exec, plan, b), applied(exec, inverted, b)) < 1e-12);
      const auto larger = with_values(a, [](double value) { return 4 * value; });
      plan.update_values(exec, larger.matrix());
      plan.check_values(exec);
      Plan again(exec, larger.matrix(), options);
      CHECK(largest_difference(applied(exec, plan, b), applied(exec, again, b)) < 1e-12);
      // Several vectors at once.
      const auto n = static_cast<std::size_t>(a.n);
      const auto columns = copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, 3, 5));
      const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x("heddle::test::x", n, 3),
          y("heddle::test::y", n, 3);
      plan.reserve(exec, 3);
      plan.apply(exec, columns, x);
      again.apply(exec, columns, y);
      exec.fence("heddle::test::applied");
      const auto of_x = to_host(x), of_y = to_host(y);
      for (std::size_t v = 0; v < 3; ++v) {
        for (std::size_t i = 0; i < n; ++i) {
          CHECK(std::abs(of_x(i, v) - of_y(i, v)) <= 1e-11 * (1 + std::abs(of_y(i, v))));
        }
      }
    }
  }
}

TEST_CASE("a level that the user's solve takes may be larger than an inverse could be, or all") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  Parts parts;
  int made = 0;
  parts.coarsest = [&](const Exec& on, int level, const Matrix& A) {
    ++made;
    return plan_of_each_level<Direct>(DirectOptions{})(on, level, A);
  };
  Plan whole(exec, a.matrix(), parts, {.coarsest_rows = 1 << 30});
  CHECK(made == 1);
  CHECK(whole.levels().levels.size() == 1);
  CHECK(iterations_with(exec, a, whole) == 1);
  // None is made for a last level that has more rows.
  Plan smoothed(exec, a.matrix(), parts, {.coarsest_rows = 0, .max_levels = 2});
  CHECK(made == 1);
}

TEST_CASE("null leaves the inverse, and options without effect are errors") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  Parts parts;
  parts.coarsest = [](const Exec&, int, const Matrix&) {
    return std::unique_ptr<MultigridLevelPreconditioner<Exec, Matrix>>();
  };
  const auto large = operator_where<Exec, double>(
      4097, [](int i, const auto& add) { add(i); }, [](int, int) { return 2.0; });
  CHECK_THROWS_WITH_AS(Plan(exec, large.matrix(), parts, {.coarsest_rows = 5000}),
                       doctest::Contains("returned null for level 0 of 4097 rows"), Error);
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), {.coarsest_rows = 5000}),
                       doctest::Contains("give 0 to 4096"), Error);
  const MultigridOptions options{.coarsest_rows = 60, .one_launch_entries = 0};
  Plan plan(exec, a.matrix(), parts, options), usual(exec, a.matrix(), options);
  CHECK(plan.levels().levels.back().smoother == "inverted");
  const auto b = right_hand_side<double>(a.n);
  CHECK(largest_difference(applied(exec, plan, b), applied(exec, usual, b)) == 0);
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, {.one_launch_entries = 100}),
                       doctest::Contains("parts.coarsest"), Error);
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, {.values = MultigridValues::single_precision}),
                       doctest::Contains("its own parts"), Error);
}

}  // namespace heddle::test
