// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices with a nullspace, which M leaves out, and indefinite ones, which are errors.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/multigrid.hpp>

#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
using Operator = PlainOperator<Exec, double>;
using Vector = Kokkos::View<double*, Space>;
const auto nowhere = [](int) { return 0.0; };

double norm_of(const Vector& x) {
  const auto host = to_host(x);
  double sum = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i) sum += host(i) * host(i);
  return std::sqrt(sum);
}

template <class Solver>
void check_converges(const Exec& exec, Operator a, const Vector& b, const Plan& plan) {
  Solver solver(exec, a.n);
  const Vector x("heddle::test::x", b.extent(0));
  const KrylovResult result = solver.solve(exec, a, b, x, plan);
  CHECK(result.converged());
  CHECK(result.iterations <= 20);
  CHECK(relative_residual(a, b, x) < 1.01e-8);
  CHECK(norm_of(x) < 1e3 * norm_of(b));
}

}  // namespace

TEST_CASE("b in the range but for a tenth of the tolerance") {
  const Exec exec;
  for (const int width : {6, 16, emulated ? 24 : 30}) {
    for (const bool split : {false, true}) {
      CAPTURE(width);
      CAPTURE(split);
      const auto exchanged = [=](int i, int j) {
        return split && i / width < width / 2 && j / width >= width / 2 ? 0.0 : 1.0;
      };
      auto a = exchange<Exec, double>(width, width, 1, exchanged, nowhere);
      const auto n = static_cast<std::size_t>(a.n);
      const Vector of("heddle::test::of", n), b("heddle::test::b", n), ones("heddle::test::1", n);
      const auto on_host = Kokkos::create_mirror_view(of);
      for (std::size_t i = 0; i < n; ++i) on_host(i) = std::cos(1.7 * static_cast<double>(i));
      Kokkos::deep_copy(of, on_host);
      Kokkos::deep_copy(ones, 1.0);
      a.apply(exec, of, b);
      exec.fence("heddle::test::product");
      const double outside = 1e-9 * norm_of(b) / norm_of(ones);
      vectors::axpy(exec, outside, ones, b);
      Plan plan(exec, a.matrix());
      check_positive_definite<double>(exec, plan);
      const auto image = applied(exec, plan, ones);
      double square = 0;
      for (std::size_t i = 0; i < n; ++i) square += image(i) * image(i);
      CHECK(std::sqrt(square) < 20 * norm_of(ones));
      check_converges<CgSolver<Exec, double>>(exec, a, b, plan);
      check_converges<GmresSolver<Exec, double>>(exec, a, b, plan);
      check_converges<BicgstabSolver<Exec, double>>(exec, a, b, plan);
    }
  }
}

TEST_CASE("jumps in systems that are held nowhere") {
  const Exec exec;
  const auto small = operator_of<Exec, double>(
      {{{0, 1.0}, {1, -1.0}}, {{0, -1.0}, {1, 1.0000001}, {2, -1e-7}}, {{1, -1e-7}, {2, 1e-7}}});
  Plan of_small(exec, small.matrix());
  CHECK(iterations_with(exec, small, of_small) <= 3);
  for (const double jump : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(jump);
    const auto a = exchange<Exec, double>(
        10, 10, 1, [=](int i, int j) { return i % 10 < 5 && j % 10 < 5 ? 1.0 : jump; }, nowhere);
    Plan plan(exec, a.matrix());
    CHECK(iterations_with(exec, a, plan) <= 5);
    Plan levels(exec, a.matrix(), {.coarsest_rows = 10});
    CHECK(iterations_with(exec, a, levels) <= 30);
  }
  for (int seed = 1; seed <= (emulated ? 20 : 100); ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const int n = 3 + static_cast<int>(random.below(14));
    const double jump = std::pow(10.0, -4.0 - static_cast<double>(random.below(7)));
    std::vector<std::map<int, double>> rows(static_cast<std::size_t>(n));
    for (int i = 1; i < n; ++i) {
      const int j = static_cast<int>(random.below(i));
      const double weight = random.below(2) == 0 ? 1.0 : jump;
      auto &row = rows[static_cast<std::size_t>(i)], &other = rows[static_cast<std::size_t>(j)];
      row[j] = other[i] = -weight;
      row[i] += weight;
      other[j] += weight;
    }
    const auto a = operator_of<Exec, double>(rows);
    Plan plan(exec, a.matrix());
    iterations_with(exec, a, plan);
  }
}

TEST_CASE("parts that become one unknown each") {
  const Exec exec;
  for (const int parts : {1, emulated ? 20 : 100}) {
    for (const int length : {5, 20}) {
      for (const double spread : {0.5, 2.0, 4.0}) {
        for (const int coarsest : {1, 500}) {
          CAPTURE(parts);
          CAPTURE(length);
          CAPTURE(spread);
          CAPTURE(coarsest);
          const auto a = chains<Exec, double>(parts, length, spread, 5);
          Plan plan(exec, a.matrix(), {.coarsest_rows = coarsest});
          const std::string levels = plan.levels().to_string();
          CAPTURE(levels);
          CHECK(iterations_with(exec, a, plan) <= 150);
        }
      }
    }
  }
}

TEST_CASE("an indefinite matrix is an error where a level shows it, and never NaN") {
  const Exec exec;
  const int wide = emulated ? 12 : 20;
  const auto star = [&](double middle, int width) {
    return star_operator<Exec, double>(width, width, 1,
                                       [=](int i, int j) { return i == j ? middle : -1.0; });
  };
  const double beyond = emulated ? 3.5 : 3.8;
  const auto indefinite = star(beyond, wide), definite = star(4, wide);
  CHECK_THROWS_WITH_AS(Plan(exec, star(1.5, 4).matrix()),
                       doctest::Contains("a pivot is negative; use another preconditioner"), Error);
  CHECK_THROWS_WITH_AS(Plan(exec, star(1.5, wide).matrix(), {.coarsest_rows = 20}),
                       doctest::Contains("the matrix has a negative eigenvalue"), Error);
  for (const int coarsest : {20, 100, wide * wide}) {
    CAPTURE(coarsest);
    CHECK_THROWS_WITH_AS(Plan(exec, indefinite.matrix(), {.coarsest_rows = coarsest}),
                         doctest::Contains("A is not positive definite"), Error);
    Plan plan(exec, definite.matrix(), {.coarsest_rows = coarsest});
    plan.update_values(exec, indefinite.matrix());
    CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("not positive definite"),
                         Error);
    const auto x = applied(exec, plan, right_hand_side<double>(definite.n));
    bool finite = true;
    for (std::size_t i = 0; i < x.extent(0); ++i) finite = finite && std::isfinite(x(i));
    CHECK(finite);
    plan.update_values(exec, definite.matrix());
    plan.check_values(exec);
    check_positive_definite<double>(exec, plan);
  }
  int errors = 0;
  const int trials = emulated ? 40 : 300;
  for (int seed = 1; seed <= trials; ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const int n = 4 + static_cast<int>(random.below(14));
    std::vector<std::map<int, double>> rows(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      rows[static_cast<std::size_t>(i)][i] = 0.1 + std::abs(random.scalar<double>());
      for (int j = 0; j < i; ++j) {
        const double value = random.scalar<double>();
        rows[static_cast<std::size_t>(i)][j] = rows[static_cast<std::size_t>(j)][i] = value;
      }
    }
    const auto a = operator_of<Exec, double>(rows);
    try {
      Plan plan(exec, a.matrix(), {.coarsest_rows = seed % 2 ? 500 : 3});
      const auto x = applied(exec, plan, right_hand_side<double>(a.n));
      bool finite = true;
      for (std::size_t i = 0; i < x.extent(0); ++i) finite = finite && std::isfinite(x(i));
      CHECK(finite);
    } catch (const Error&) {
      ++errors;
    }
  }
  CHECK(2 * errors > trials);
}

}  // namespace heddle::test
