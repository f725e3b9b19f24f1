// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of a matrix by LOBPCG.
#include <heddle/lobpcg.hpp>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Exec::memory_space>;

bool one_search(const Exec& exec, const Matrix& A, const Vectors& x) {
  heddle::SpmvPlan plan(exec, A);
  heddle::LobpcgSolver<Exec, double> solver(exec, A.rows(), {.count = 4});
  return solver.solve(exec, plan, x).converged();
}
