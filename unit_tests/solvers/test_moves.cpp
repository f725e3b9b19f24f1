// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes that own device memory and write to it move and do not copy: copies would share it.
#include <doctest/doctest.h>

#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>
#include <heddle/wavefronts.hpp>
#include <limits>
#include <utility>

#include "../../solvers/krylov/jacobi.hpp"
#include "../../solvers/krylov/polynomial.hpp"
#include "../support/krylov.hpp"
#include "../support/moves_only.hpp"

namespace heddle::test {

namespace {

using System = PlainOperator<Exec, double>;
using Matrix = System::Matrix;
using Jacobi = JacobiPreconditioner<Exec, double>;
using BlockJacobi = BlockJacobiPreconditioner<Exec, double>;
using Polynomial = ChebyshevPreconditioner<Exec, double, System>;

static_assert(moves_only<SpmvPlan<Exec, Matrix>>);
static_assert(moves_only<SptrsvPlan<Exec, Matrix>>);
static_assert(moves_only<SptrsvWorkspace<Exec, double>>);
static_assert(moves_only<Wavefronts<Exec>>);
static_assert(moves_only<GaussSeidelPlan<Exec, Matrix>>);
static_assert(moves_only<IluPlan<Exec, Matrix>>);
static_assert(moves_only<IcPlan<Exec, Matrix>>);
static_assert(moves_only<Jacobi>);
static_assert(moves_only<BlockJacobi>);
static_assert(moves_only<Polynomial>);
static_assert(moves_only<ChebyshevPlan<Exec, Matrix>>);
static_assert(moves_only<CgSolver<Exec, double>>);
static_assert(moves_only<GmresSolver<Exec, double>>);
static_assert(moves_only<BicgstabSolver<Exec, double>>);
static_assert(moves_only<ChebyshevSolver<Exec, double>>);
static_assert(moves_only<VectorWorkspace<Exec, double>>);

static_assert(LinearOperator<const SpmvPlan<Exec, Matrix>, Exec, double>);
static_assert(Preconditioner<const SptrsvPlan<Exec, Matrix>, Exec, double>);
static_assert(Preconditioner<const GaussSeidelPlan<Exec, Matrix>, Exec, double>);
static_assert(Preconditioner<const IluPlan<Exec, Matrix>, Exec, double>);
static_assert(Preconditioner<const IcPlan<Exec, Matrix>, Exec, double>);
static_assert(Preconditioner<const Polynomial, Exec, double>);
static_assert(Preconditioner<const ChebyshevPlan<Exec, Matrix>, Exec, double>);

constexpr int side = emulated ? 6 : 20;

/// The moved-to object must apply as before, and the moved-from one throw with its name.
template <class Part>
void check_move(const Exec& exec, std::int64_t n, Part& part, const char* name) {
  const auto b = right_hand_side<double>(n);
  const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0)),
      y("heddle::test::y", b.extent(0));
  part.apply(exec, b, x);
  Part moved = std::move(part);
  CHECK_THROWS_WITH_AS(part.apply(exec, b, y), doctest::Contains(name), Error);
  std::as_const(moved).apply(exec, b, y);
  exec.fence("heddle::test::applied");
  CHECK((bits_of(x) == bits_of(y)));
  part = std::move(moved);
  CHECK_THROWS_WITH_AS(moved.apply(exec, b, y), doctest::Contains(name), Error);
  part.apply(exec, b, y);
  exec.fence("heddle::test::applied");
  CHECK((bits_of(x) == bits_of(y)));
}

}  // namespace

TEST_CASE("preconditioners move, and one that was moved from names what was called") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10);
  Jacobi jacobi(exec, a.matrix());
  BlockJacobi blocks(exec, a.matrix(), 3);
  Polynomial polynomial(exec, a, jacobi, SpectrumBounds{0.05, 2.0}, 2);
  check_move(exec, a.n, polynomial, "ChebyshevPreconditioner::apply");
  check_move(exec, a.n, blocks, "BlockJacobiPreconditioner::apply");
  check_move(exec, a.n, jacobi, "JacobiPreconditioner::apply");
  Jacobi moved = std::move(jacobi);
  CHECK_THROWS_WITH_AS(jacobi.inverse_diagonal(), doctest::Contains("moved from"), Error);
  CHECK_THROWS_WITH_AS(jacobi.update_values(exec, a.matrix()), doctest::Contains("moved from"),
                       Error);
}

TEST_CASE("Jacobi and its blocks keep the values that they were made of") {
  const Exec exec;
  const auto a = laplacian<Exec, double>(side, 10);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0));
  const auto bits = [&](const auto& part) {
    part.apply(exec, b, x);
    exec.fence("heddle::test::applied");
    return bits_of(x);
  };
  const Jacobi jacobi(exec, a.matrix());
  const BlockJacobi blocks(exec, a.matrix(), 3);
  const auto of_jacobi = bits(jacobi), of_blocks = bits(blocks);
  Kokkos::deep_copy(a.values, std::numeric_limits<double>::quiet_NaN());
  CHECK((bits(jacobi) == of_jacobi));
  CHECK((bits(blocks) == of_blocks));
}

TEST_CASE("solvers move, and go on") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0));
  const auto check = [&](auto solver) {
    Kokkos::deep_copy(x, 0.0);
    solver.solve(exec, a, b, x);
    const auto before = bits_of(x);
    auto moved = std::move(solver);
    Kokkos::deep_copy(x, 0.0);
    CHECK(moved.solve(exec, a, b, x).converged());
    CHECK((bits_of(x) == before));
  };
  check(CgSolver<Exec, double>(exec, a.n));
  check(GmresSolver<Exec, double>(exec, a.n));
  check(BicgstabSolver<Exec, double>(exec, a.n));
}

}  // namespace heddle::test
