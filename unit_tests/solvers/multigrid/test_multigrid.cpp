// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid as a preconditioner: symmetric, positive definite, and iterations that hardly grow.
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>

#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;

}  // namespace

TEST_CASE("the preconditioner is symmetric and positive definite, with new values too") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi,
                                MultigridSmoother::gauss_seidel}) {
      Plan plan(exec, system.matrix.matrix(),
                {.smoother = smoother, .degree = 3, .coarsest_rows = emulated ? 10 : 40});
      CHECK(plan.symmetric());
      check_positive_definite<double>(exec, plan);
      const auto larger = with_values(system.matrix, [](double a) { return 4 * a; });
      const auto b = right_hand_side<double>(plan.rows());
      const auto before = applied(exec, plan, b);
      plan.update_values(exec, larger.matrix());
      plan.check_values(exec);
      check_positive_definite<double>(exec, plan);
      const auto after = applied(exec, plan, b);
      bool same = true;  // a power of two changes no rounding
      for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == 4 * after(i);
      CHECK(same);
      const auto other = weighted(system.matrix, [](int i) { return 1 + i % 7 * 0.1; });
      plan.update_values(exec, other.matrix());
      check_positive_definite<double>(exec, plan);
      plan.update_values(exec, system.matrix.matrix());
      const auto again = applied(exec, plan, b);
      for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == again(i);
      CHECK(same);
    }
  }
}

TEST_CASE("a matrix that is inverted whole") {
  const Exec exec;
  for (const int width : {3, 5, 11}) {
    for (const double held : {1.0, 0.0}) {
      CAPTURE(width);
      CAPTURE(held);
      auto a = exchange<Exec, double>(
          width, width, 1, [](int i, int j) { return 1.0 + (i + j) % 3; },
          [=](int i) { return i == 4 ? held : 0.0; });
      Plan plan(exec, a.matrix());
      CHECK(plan.levels().levels.size() == 1);
      const auto of = right_hand_side<double>(a.n);
      const Kokkos::View<double*, Space> b("heddle::test::b", static_cast<std::size_t>(a.n)),
          x("heddle::test::x", static_cast<std::size_t>(a.n));
      a.apply(exec, of, b);
      plan.apply(exec, b, x);
      exec.fence("heddle::test::applied");
      CHECK(relative_residual(a, b, x) < 1e-12);
    }
  }
}

TEST_CASE("a last level that is smoothed alone keeps the preconditioner symmetric") {
  const Exec exec;
  for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi,
                              MultigridSmoother::gauss_seidel}) {
    const auto a = poisson<Exec, double>(emulated ? 15 : 30, emulated ? 15 : 30, 1);
    for (const int levels : {1, 2}) {
      Plan plan(exec, a.matrix(), {.smoother = smoother, .coarsest_rows = 3, .max_levels = levels});
      CHECK(plan.levels().levels.back().scheme != "dense");
      check_positive_definite<double>(exec, plan);
    }
  }
}

TEST_CASE("a cycle from a level on is that of the levels below") {
  const Exec exec;
  const auto a = poisson<Exec, double>(emulated ? 20 : 40, emulated ? 20 : 40, 1);
  Plan plan(exec, a.matrix(), {.coarsest_rows = emulated ? 10 : 40});
  const auto levels = plan.levels().levels;
  REQUIRE(levels.size() > 1);
  const auto whole = applied(exec, plan, right_hand_side<double>(plan.rows()));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto b = right_hand_side<double>(levels[l].rows);
    const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0));
    plan.apply_from(exec, static_cast<int>(l), b, x);
    exec.fence("heddle::test::applied");
    const auto found = to_host(x);
    const auto of = to_host(b);
    double energy = 0;
    for (std::size_t i = 0; i < of.extent(0); ++i) energy += of(i) * found(i);
    CHECK(energy > 0);
    bool same = true;
    for (std::size_t i = 0; l == 0 && i < of.extent(0); ++i) same = same && whole(i) == found(i);
    CHECK(same);
  }
  const auto b = right_hand_side<double>(plan.rows());
  const auto x = right_hand_side<double>(plan.rows());
  CHECK_THROWS_AS(plan.apply_from(exec, -1, b, x), Error);
  CHECK_THROWS_AS(plan.apply_from(exec, static_cast<int>(levels.size()), b, x), Error);
  CHECK_THROWS_AS(plan.apply_from(exec, 1, b, x), Error);
}

TEST_CASE("conjugate gradients with multigrid: iterations hardly grow with the size") {
  const Exec exec;
  const std::vector<int> squares = emulated ? std::vector{20, 40} : std::vector{40, 100, 300};
  const std::vector<int> cubes = emulated ? std::vector{8, 12} : std::vector{10, 20, 40};
  for (const bool in_space : {false, true}) {
    for (const int side : in_space ? cubes : squares) {
      CAPTURE(in_space);
      CAPTURE(side);
      const auto a = poisson<Exec, double>(side, side, in_space ? side : 1);
      Plan plan(exec, a.matrix(), {.coarsest_rows = emulated ? 40 : 200});
      const std::string levels = plan.levels().to_string();
      CAPTURE(levels);
      const int taken = iterations_with(exec, a, plan);
      CHECK(taken <= 20);
      Plan by_jacobi(
          exec, a.matrix(),
          {.smoother = MultigridSmoother::l1_jacobi, .coarsest_rows = emulated ? 40 : 200});
      CHECK(iterations_with(exec, a, by_jacobi) <= 3 * taken);
      Plan by_sweeps(
          exec, a.matrix(),
          {.smoother = MultigridSmoother::gauss_seidel, .coarsest_rows = emulated ? 40 : 200});
      CHECK(iterations_with(exec, a, by_sweeps) <= 2 * taken);
      CHECK(by_sweeps.levels().levels.front().smoother == "Gauss-Seidel by colors times 1");
      CHECK(plan.levels().levels.size() > 1);
      CHECK(plan.levels().operator_complexity() < 2);
    }
  }
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    Plan plan(exec, system.matrix.matrix(), {.coarsest_rows = emulated ? 10 : 40});
    const std::string levels = plan.levels().to_string();
    CAPTURE(levels);
    CHECK(iterations_with(exec, system.matrix, plan) <= 20);
  }
}

#ifndef HEDDLE_EMULATED
TEST_CASE("in single precision under a wider solver: definite to rounding, and as few iterations") {
  const Exec exec;
  if (!heddle::detail::is_compiled<Exec, PlainOperator<Exec, double>::Matrix>()) return;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::gauss_seidel}) {
      MultigridOptions options{.smoother = smoother, .coarsest_rows = 40};
      Plan same(exec, system.matrix.matrix(), options);
      options.values = MultigridValues::single_precision;
      Plan plan(exec, system.matrix.matrix(), options);
      CHECK(plan.symmetric());
      CHECK(plan.rows() == system.matrix.n);
      if (plan.levels().levels.size() > 1) CHECK(plan.bytes() < same.bytes());
      check_positive_definite<double>(exec, plan, 1e-4);
      CHECK(3 * iterations_with(exec, system.matrix, plan) <=
            4 * iterations_with(exec, system.matrix, same) + 6);
      const auto other = weighted(system.matrix, [](int i) { return 1 + i % 7 * 0.1; });
      plan.update_values(exec, other.matrix());
      plan.check_values(exec);
      check_positive_definite<double>(exec, plan, 1e-4);
      plan.update_values(exec, system.matrix.matrix());
      const auto b = right_hand_side<double>(plan.rows());
      const auto again = applied(exec, plan, b);
      const auto first = applied(exec, Plan(exec, system.matrix.matrix(), options), b);
      bool alike = true;
      for (std::size_t i = 0; i < again.extent(0); ++i) alike = alike && again(i) == first(i);
      CHECK(alike);
    }
  }
}
#endif

TEST_CASE("27 points, whose entries are a 26th of the diagonal, are strong by default") {
  const Exec exec;
  constexpr int side = emulated ? 6 : 16;
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  for (int i = 0; i < side * side * side; ++i) {
    const int at[3] = {i % side, i / side % side, i / side / side};
    for (int step = 0; step < 27; ++step) {
      const int to[3] = {at[0] + step % 3 - 1, at[1] + step / 3 % 3 - 1, at[2] + step / 9 - 1};
      if (std::ranges::any_of(to, [](int k) { return k < 0 || k >= side; })) continue;
      col_idx.push_back((to[2] * side + to[1]) * side + to[0]);
      values.push_back(step == 13 ? 26 : -1);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  const auto a = plain_operator<Exec>(row_ptr, col_idx, values);
  Plan plan(exec, a.matrix(), {.coarsest_rows = 20});
  CHECK(plan.levels().levels.size() > 1);
  check_positive_definite<double>(exec, plan);
  CHECK(iterations_with(exec, a, plan) <= 12);
}

}  // namespace heddle::test
