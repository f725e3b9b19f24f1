// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small levels of multigrid in one launch, against one launch for each step.
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>

#include "../../../backends/cooperative.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
constexpr std::int64_t all_entries = std::int64_t{1} << 40;
constexpr int coarsest = emulated ? 8 : 40;
constexpr const char* together = "csr in one launch with those below";

template <class Columns>
void check_alike(const Columns& one, const Columns& other) {
  double largest = 0, difference = 0;
  for (std::size_t v = 0; v < one.extent(1); ++v) {
    for (std::size_t i = 0; i < one.extent(0); ++i) {
      largest = std::max(largest, std::abs(other(i, v)));
      difference = std::max(difference, std::abs(one(i, v) - other(i, v)));
    }
  }
  CHECK(difference <= 1e-10 * largest);
  CHECK(std::isfinite(largest));
}

template <class Layout = Kokkos::LayoutLeft>
auto columns_of(const Exec& exec, const Plan& plan, int level, std::int64_t rows, int count) {
  using Columns = Kokkos::View<double**, Layout, Space>;
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(count);
  const Columns b = copy_to<Space>(random_columns<double, Layout>(n, m, 3)),
                x("heddle::test::x", n, m);
  Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());  // not read
  plan.apply_from(exec, level, b, x);
  exec.fence("heddle::test::applied");
  return to_host(x);
}

}  // namespace

TEST_CASE("cycles of small levels in one launch are those of many, with new values too") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi}) {
      for (const int degree : {1, 2, 3, 4}) {
        CAPTURE(degree);
        MultigridOptions options{.smoother = smoother, .degree = degree};
        options.coarsest_rows = coarsest;
        options.one_launch_entries = 0;
        const auto a = system.matrix.matrix();
        Plan apart(exec, a, options);
        options.one_launch_entries = all_entries;
        Plan plan(exec, a, options);
        const auto levels = plan.levels().levels;
        REQUIRE(levels.size() == apart.levels().levels.size());
        if (backends::has_cooperative<Exec>) CHECK(levels.front().scheme == together);
        for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
          const std::int64_t rows = levels[static_cast<std::size_t>(l)].rows;
          check_alike(columns_of(exec, plan, l, rows, 1), columns_of(exec, apart, l, rows, 1));
        }
        check_positive_definite<double>(exec, plan);
        const auto other = weighted(system.matrix, [](int i) { return 1 + i % 7 * 0.1; });
        plan.update_values(exec, other.matrix());
        apart.update_values(exec, other.matrix());
        check_alike(columns_of(exec, plan, 0, plan.rows(), 1),
                    columns_of(exec, apart, 0, plan.rows(), 1));
      }
    }
  }
}

TEST_CASE("small levels below larger ones, and several vectors in any layout") {
  const Exec exec;
  constexpr int side = emulated ? 16 : 60;
  const auto a = poisson<Exec, double>(side, side, 1);
  MultigridOptions options{.coarsest_rows = coarsest, .one_launch_entries = 0};
  options.vectors.count = 3;
  const Plan apart(exec, a.matrix(), options);
  const auto levels = apart.levels().levels;
  REQUIRE(levels.size() > 2);
  for (std::size_t first = 0; first < levels.size(); ++first) {
    CAPTURE(first);
    options.one_launch_entries = levels[first].entries;
    const Plan plan(exec, a.matrix(), options);
    for (std::size_t l = 0; backends::has_cooperative<Exec> && l + 1 < levels.size(); ++l) {
      CHECK((plan.levels().levels[l].scheme == together) == (l >= first));
    }
    for (const int count : {1, 3, 4}) {
      check_alike(columns_of(exec, plan, 0, plan.rows(), count),
                  columns_of(exec, apart, 0, plan.rows(), count));
      check_alike(columns_of<Kokkos::LayoutRight>(exec, plan, 0, plan.rows(), count),
                  columns_of<Kokkos::LayoutRight>(exec, apart, 0, plan.rows(), count));
    }
  }
}

TEST_CASE("levels with smoothers of their own, above small levels in one launch") {
  const Exec exec;
  if (!backends::has_cooperative<Exec>) return;
  constexpr int side = emulated ? 16 : 60;
  const auto a = poisson<Exec, double>(side, side, 1);
  using enum MultigridSmoother;
  for (const auto cycle : {MultigridCycle::v, MultigridCycle::w}) {
    CAPTURE(name(cycle));
    for (const auto& smoothers : {std::vector{gauss_seidel}, std::vector{chebyshev},
                                  std::vector{l1_jacobi, gauss_seidel}}) {
      CAPTURE(smoothers.size());
      MultigridOptions options{.cycle = cycle,
                               .smoother = l1_jacobi,
                               .smoothers = smoothers,
                               .coarsest_rows = coarsest / 2,
                               .one_launch_entries = 0};
      Plan apart(exec, a.matrix(), options);
      options.one_launch_entries = all_entries;
      Plan plan(exec, a.matrix(), options);
      const auto levels = plan.levels().levels;
      REQUIRE(levels.size() > smoothers.size());
      for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
        CHECK((levels[l].scheme == together) == (l >= smoothers.size()));
        CHECK(levels[l].smoother == apart.levels().levels[l].smoother);
      }
      check_alike(columns_of(exec, plan, 0, plan.rows(), 1),
                  columns_of(exec, apart, 0, plan.rows(), 1));
      check_positive_definite<double>(exec, plan);
      const auto other = weighted(a, [](int i) { return 1 + i % 7 * 0.1; });
      plan.update_values(exec, other.matrix());
      apart.update_values(exec, other.matrix());
      check_alike(columns_of(exec, plan, 0, plan.rows(), 1),
                  columns_of(exec, apart, 0, plan.rows(), 1));
    }
  }
}

TEST_CASE("a last level that is smoothed alone") {
  const Exec exec;
  constexpr int side = emulated ? 12 : 30;
  const auto a = poisson<Exec, double>(side, side, 1);
  for (const int max_levels : {1, 2, 3}) {
    for (const int degree : {1, 2, 3}) {
      MultigridOptions options{.degree = degree, .coarsest_rows = 2, .max_levels = max_levels};
      options.one_launch_entries = 0;
      const Plan apart(exec, a.matrix(), options);
      options.one_launch_entries = all_entries;
      const Plan plan(exec, a.matrix(), options);
      check_alike(columns_of(exec, plan, 0, plan.rows(), 1),
                  columns_of(exec, apart, 0, plan.rows(), 1));
    }
  }
}

TEST_CASE("more levels than a launch takes") {
  const Exec exec;
  const int length = emulated ? 15000 : 40000;  // a path: aggregates of about three rows
  const auto a = poisson<Exec, double>(length, 1, 1);
  MultigridOptions options{.coarsest_rows = 0, .max_levels = 20, .one_launch_entries = 0};
  const Plan apart(exec, a.matrix(), options);
  options.one_launch_entries = all_entries;
  const Plan plan(exec, a.matrix(), options);
  REQUIRE(plan.levels().levels.size() > 8);
  CHECK(plan.levels().levels.front().scheme != together);
  check_alike(columns_of(exec, plan, 0, plan.rows(), 1),
              columns_of(exec, apart, 0, plan.rows(), 1));
}

TEST_CASE("one launch is the default where there are lanes") {
  const Exec exec;
  constexpr int side = emulated ? 12 : 30;
  const auto a = poisson<Exec, double>(side, side, 1);
  Plan plan(exec, a.matrix(), {.coarsest_rows = coarsest, .one_launch_entries = all_entries});
  CHECK(iterations_with(exec, a, plan) <= 20);
  if (emulated) {  // the default of plans on devices with lanes
    CHECK(Plan(exec, a.matrix(), {.coarsest_rows = coarsest}).levels().levels.front().scheme ==
          together);
  }
  CHECK_THROWS_AS(Plan(exec, a.matrix(), {.one_launch_entries = -2}), Error);
}

}  // namespace heddle::test
