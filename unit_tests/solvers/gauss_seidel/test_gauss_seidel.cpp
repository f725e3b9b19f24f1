// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/cg.hpp>

#include "../../../formats/csr/inspect.hpp"
#include "../../../solvers/gauss_seidel/definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../support/gauss_seidel_check.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Exec = FirstSweepType::Exec;
using Space = FirstSweepType::Space;
using Matrix = FirstSweepType::Matrix;
using Plan = FirstSweepType::Plan;
using Host = HostVector<double>;

PlainOperator<Exec, double> some_matrix(int side, double shift = 0) {
  return lopsided_grid<Exec>(side, shift);
}

}  // namespace

TEST_CASE("several vectors by the scheme that is chosen") {
  GaussSeidelOptions options;
  options.vectors.count = 3;
  check_vectors<Kokkos::LayoutRight>(some_matrix(emulated ? 6 : 20), options, 3);
}

TEST_CASE("new values, and a diagonal that goes bad") {
  const Exec exec;
  auto a = some_matrix(10), other = some_matrix(10, 1);
  const auto n = static_cast<std::size_t>(a.n);
  Plan plan(exec, a.matrix(), {.omega = 1.2}, FirstSweepType::List());
  const Host b = random_vector<double>(n, 1);
  const auto on_device = copy_to<Space>(b);
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  const auto before = plan.version();
  plan.update_values(exec, other.matrix());
  CHECK(plan.version() != before);
  plan.apply(exec, on_device, x);
  plan.check_values(exec);
  Host expected("heddle::test::expected", n);
  SequentialSweeps<double>(exec, other, {.omega = 1.2}).run(b, expected);
  CHECK(difference(x, expected) < 1e-13);
  Kokkos::deep_copy(Kokkos::subview(other.values, 0), 0.0);  // row 0 begins with its diagonal
  plan.update_values(exec, other.matrix());
  CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 0"), Error);
}

TEST_CASE("a symmetric sweep preconditions cg, a one-sided one is refused") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 40);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  CgSolver<Exec, double> cg(exec, a.n, {.zero_guess = true});
  const KrylovResult plain = cg.solve(exec, a, b, x);
  Plan symmetric(exec, a.matrix(), {}, FirstSweepType::List());
  const KrylovResult preconditioned = cg.solve(exec, a, b, x, symmetric);
  CHECK(preconditioned.converged());
  CHECK(relative_residual(a, b, x) < 2e-8);
  CHECK(2 * preconditioned.iterations < plain.iterations + 4);
  Plan forward(exec, a.matrix(), {.sweep = SweepDirection::forward}, FirstSweepType::List());
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, forward),
                       doctest::Contains("a forward Gauss-Seidel sweep is not symmetric"), Error);
  SptrsvPlan<Exec, Matrix> triangle(exec, a.matrix(), {.ignore_outside = true});
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, triangle), doctest::Contains("SptrsvPlan"), Error);
}

TEST_CASE("plans are operators and preconditioners of several right-hand sides") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 30);
  const auto n = static_cast<std::size_t>(a.n);
  SpmvPlan<Exec, Matrix, double, double, Formats<CsrFormat>> A(exec, a.matrix());
  Plan sweep(exec, a.matrix(), {}, FirstSweepType::List());  // workspace for one vector
  CgSolver<Exec, double> cg(exec, a.n, {.vectors = 4});
  const auto b = copy_to<Space>(random_columns<double, Kokkos::LayoutRight>(n, 4, 1));
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> x("heddle::test::x", n, 4);
  CHECK(cg.solve(exec, A, b, x, sweep).converged());
  const Kokkos::View<double*, Space> of_b("heddle::test::b", n), of_x("heddle::test::x", n);
  for (int c = 0; c < 4; ++c) {
    Kokkos::deep_copy(of_b, Kokkos::subview(b, Kokkos::ALL, c));
    Kokkos::deep_copy(of_x, Kokkos::subview(x, Kokkos::ALL, c));
    CHECK(relative_residual(a, of_b, of_x) < 2e-8);
  }
  const double entries = 4.0 * static_cast<double>(n) * sizeof(double);
  CHECK(cg.moved_bytes(A, sweep) == A.moved_bytes(Op::none, 4) + 12 * entries);
}

TEST_CASE("wrong input is an error that names the row") {
  const Exec exec;
  auto a = some_matrix(4);
  const auto plan = [&](const GaussSeidelOptions& options) {
    return Plan(exec, a.matrix(), options, FirstSweepType::List());
  };
  CHECK_THROWS_WITH_AS(plan({.omega = 2}), doctest::Contains("options.omega is 2"), Error);
  CHECK_THROWS_WITH_AS(plan({.vectors = {.count = 0}}), doctest::Contains("options.vectors.count"),
                       Error);
  Plan good = plan({});
  const Kokkos::View<double*, Space> x("heddle::test::x", 16), longer("heddle::test::y", 17);
  CHECK_THROWS_WITH_AS(good.apply(exec, x, x), doctest::Contains("same vector"), Error);
  CHECK_THROWS_WITH_AS(good.apply(exec, longer, x), doctest::Contains("17 x 1"), Error);
  const Kokkos::View<double*, Space> b("heddle::test::b", 16);
  CHECK_THROWS_WITH_AS(good.relax(exec, b, x, -1), doctest::Contains("-1 sweeps were asked for"),
                       Error);
  CHECK_THROWS_WITH_AS(good.relax(exec, b, x, -1, longer), doctest::Contains("-1 sweeps"), Error);
  CHECK_THROWS_WITH_AS(good.relax(b, x, -1, longer), doctest::Contains("-1 sweeps"), Error);
  CHECK_NOTHROW(good.relax(exec, b, x, 0));
  const auto split = Scheme::parse("gauss-seidel/split");
  CHECK_THROWS_WITH_AS(plan({.sweep = SweepDirection::forward, .scheme = split})
                           .sptrsv_scheme(SweepDirection::backward),
                       doctest::Contains("no backward sweep"), Error);
  const auto values = to_host(a.values);
  Kokkos::deep_copy(Kokkos::subview(a.values, 0), 0.0);
  CHECK_THROWS_WITH_AS(plan({}),
                       doctest::Contains("row 0: the diagonal is missing, zero or not "
                                         "finite; store one, or shift it"),
                       Error);
}

TEST_CASE("sweeps are quiet") { check_quiet_sweeps({}); }

}  // namespace heddle::test
