// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors within solvers.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

#include "../../../solvers/ilu/definitions.hpp"
#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../../testing/vectors_check.hpp"
#include "../../support/grid_operator.hpp"
#include "../../support/incomplete.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;
using Matrix = PlainOperator<Exec, double>::Matrix;
using Vector = Kokkos::View<double*, Space>;

}  // namespace

TEST_CASE("cg needs fewer iterations, the fewer the more fill") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 12 : 50);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Vector x("heddle::test::x", n);
  CgSolver<Exec, double> cg(exec, a.n, {.zero_guess = true});
  std::int64_t before = cg.solve(exec, a, b, x).iterations;
  for (const int level : {0, 1, 3}) {
    CAPTURE(level);
    IluPlan<Exec, Matrix> lu(exec, a.matrix(), {.fill_level = level});
    const KrylovResult by_lu = cg.solve(exec, a, b, x, lu);
    CHECK(by_lu.converged());
    CHECK(relative_residual(a, b, x) < 2e-8);
    IcPlan<Exec, Matrix> cholesky(exec, a.matrix(), {.fill_level = level});
    const KrylovResult by_cholesky = cg.solve(exec, a, b, x, cholesky);
    CHECK(by_cholesky.converged());
    CHECK(relative_residual(a, b, x) < 2e-8);
    CHECK(std::abs(by_lu.iterations - by_cholesky.iterations) <= 1);
    CHECK(by_lu.iterations < before);
    before = by_lu.iterations;
    IcPlan<Exec, Matrix> in_float(
        exec, a.matrix(), {.fill_level = level, .factor_values = FactorValues::single_precision});
    const KrylovResult by_float = cg.solve(exec, a, b, x, in_float);
    CHECK(by_float.converged());
    CHECK(by_float.iterations <= by_cholesky.iterations + 1);
  }
  // Factors of subdomains need more iterations than those of the whole matrix.
  IcPlan<Exec, Matrix> whole(exec, a.matrix()), parts(exec, a.matrix(), {.subdomains = 6});
  const auto of_whole = cg.solve(exec, a, b, x, whole).iterations;
  const KrylovResult of_parts = cg.solve(exec, a, b, x, parts);
  CHECK(of_parts.converged());
  CHECK(of_parts.iterations > of_whole);
}

TEST_CASE("several right-hand sides at once") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 30);
  const auto n = static_cast<std::size_t>(a.n);
  IcPlan<Exec, Matrix> ic(exec, a.matrix(), {.vectors = {.count = 3}});
  CgSolver<Exec, double> cg(exec, a.n, {.vectors = 3});
  SpmvPlan<Exec, Matrix, double, double, Formats<Shared<CsrFormat>>> A(exec, a.matrix());
  const auto b = copy_to<Space>(random_columns<double, Kokkos::LayoutRight>(n, 3, 1));
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> x("heddle::test::x", n, 3);
  CHECK(cg.solve(exec, A, b, x, ic).converged());
  const Vector of_b("heddle::test::b", n), of_x("heddle::test::x", n);
  for (int c = 0; c < 3; ++c) {
    Kokkos::deep_copy(of_b, Kokkos::subview(b, Kokkos::ALL, c));
    Kokkos::deep_copy(of_x, Kokkos::subview(x, Kokkos::ALL, c));
    CHECK(relative_residual(a, of_b, of_x) < 2e-8);
  }
}

TEST_CASE("bicgstab and gmres need fewer iterations") {
  const Exec exec;
  auto a = flow<Exec, double>(emulated ? 10 : 40);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Vector x("heddle::test::x", n);
  IluPlan<Exec, Matrix> lu(exec, a.matrix());
  const auto solve = [&](auto& solver) {
    Kokkos::deep_copy(x, 0.0);
    const auto plain = solver.solve(exec, a, b, x).iterations;
    Kokkos::deep_copy(x, 0.0);
    const KrylovResult with = solver.solve(exec, a, b, x, lu);
    CHECK(with.converged());
    CHECK(relative_residual(a, b, x) < 1e-7);
    CHECK(2 * with.iterations <= plain);
  };
  BicgstabSolver<Exec, double> bicgstab(exec, a.n);
  solve(bicgstab);
  GmresSolver<Exec, double> gmres(exec, a.n);
  solve(gmres);
}

TEST_CASE("sweeps of lu are no preconditioner for cg, and say so") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 20);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Vector x("heddle::test::x", n);
  CgSolver<Exec, double> cg(exec, a.n);
  IluPlan<Exec, Matrix> lu(exec, a.matrix(), {.scheme = Scheme("ilu/sweeps")});
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, lu), doctest::Contains("is not symmetric"), Error);
  IcPlan<Exec, Matrix> ic(exec, a.matrix(), {.scheme = Scheme("ic/sweeps")});
  CHECK(cg.solve(exec, a, b, x, ic).converged());
}

}  // namespace heddle::test
