// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LOBPCG with every preconditioner of the library.
#include <doctest/doctest.h>

#include <heddle/chebyshev.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/lobpcg.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>
#include <numbers>

#include "../../../solvers/krylov/polynomial.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

TEST_CASE("lobpcg finds the same pairs with every preconditioner, in fewer iterations") {
  constexpr int side = 30, count = 4;
  constexpr double tolerance = 1e-9;
  auto a = grid_operator<Exec, double>(side, [](int i, int j) { return i == j ? 4.0 : -1.0; });
  const Exec exec;
  const auto matrix = a.matrix();
  LobpcgSolver<Exec, double> solver(exec, a.n, {.count = count, .relative_tolerance = tolerance});
  const auto search = [&](auto&& m) {
    const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x(
        "heddle::test::x", static_cast<std::size_t>(a.n), count);  // random instead of 0
    return solver.solve(exec, a, x, m);
  };
  const LobpcgResult plain = search(NoPreconditioner());
  REQUIRE(plain.converged());
  const auto value = [&](int k, int l) {
    const auto wave = [&](int m) {
      const double s = std::sin(m * std::numbers::pi / (2 * (side + 1)));
      return 4 * s * s;
    };
    return wave(k) + wave(l);
  };
  const double expected[] = {value(1, 1), value(1, 2), value(2, 1), value(2, 2)};
  const auto check = [&](const char* name, const LobpcgResult& result) {
    CAPTURE(name);
    CHECK_MESSAGE(result.converged(), heddle::name(result.outcome));
    CHECK(result.iterations < plain.iterations);
    for (std::size_t j = 0; j < count; ++j) {
      CHECK(std::abs(result.pairs[j].value - expected[j]) <= tolerance * result.scale);
    }
  };
  check("incomplete Cholesky", search(IcPlan(exec, matrix)));
  check("symmetric sweeps", search(GaussSeidelPlan(exec, matrix)));
  check("multigrid", search(MultigridPlan(exec, matrix)));
  const JacobiPreconditioner<Exec, double> jacobi(exec, matrix);
  check("a polynomial", search(ChebyshevPreconditioner<Exec, double, PlainOperator<Exec, double>>(
                            exec, a, jacobi, {0.05, 2}, 4)));
  ChebyshevPlan own(exec, matrix, SpectrumBounds{0.05, 2}, 4);
  own.reserve(exec, count);
  check("a polynomial of several vectors at once", search(own));
  CHECK_THROWS_AS(search(GaussSeidelPlan(exec, matrix, {.sweep = SweepDirection::forward})), Error);
}

}  // namespace heddle::test
