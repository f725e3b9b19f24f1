// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All solvers in one source: CG with an incomplete Cholesky factor and with symmetric Gauss-Seidel
// sweeps, GMRES with incomplete LU factors, BiCGStab with block Jacobi.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

bool symmetric(const Exec& exec, const Matrix& A, const Vector& b, const Vector& x) {
  heddle::SpmvPlan plan(exec, A);
  heddle::IcPlan factor(exec, A);
  heddle::GaussSeidelPlan sweeps(exec, A);
  heddle::CgSolver<Exec, double> solver(exec, A.rows());
  return solver.solve(exec, plan, b, x, factor).converged() ||
         solver.solve(exec, plan, b, x, sweeps).converged();
}

bool any(const Exec& exec, const Matrix& A, const Vector& b, const Vector& x) {
  heddle::SpmvPlan plan(exec, A);
  heddle::IluPlan factors(exec, A);
  heddle::BlockJacobiPreconditioner<Exec, double> blocks(exec, A, 4);
  heddle::GmresSolver<Exec, double> gmres(exec, A.rows());
  heddle::BicgstabSolver<Exec, double> bicgstab(exec, A.rows());
  return gmres.solve(exec, plan, b, x, factors).converged() ||
         bicgstab.solve(exec, plan, b, x, blocks).converged();
}
