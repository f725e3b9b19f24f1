// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with multigrid.
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

bool one_solve(const Exec& exec, const Matrix& A, const Vector& b, const Vector& x) {
  heddle::SpmvPlan plan(exec, A);
  heddle::MultigridPlan levels(exec, A);
  heddle::CgSolver<Exec, double> solver(exec, A.rows());
  return solver.solve(exec, plan, b, x, levels).converged();
}
