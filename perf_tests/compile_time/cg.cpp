// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with the Jacobi preconditioner.
#include <heddle/cg.hpp>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

bool one_solve(const Exec& exec, const Matrix& A, const Vector& b, const Vector& x) {
  heddle::SpmvPlan plan(exec, A);
  heddle::JacobiPreconditioner<Exec, double> jacobi(exec, A);
  heddle::CgSolver<Exec, double> solver(exec, A.rows());
  return solver.solve(exec, plan, b, x, jacobi).converged();
}
