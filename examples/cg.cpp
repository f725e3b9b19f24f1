// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves A u = f for the five-point Laplacian on a square grid by conjugate gradients, with a
// symmetric sweep of Gauss-Seidel before each step.
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 100, n = side * side;
  const Array<int> row_ptr("example::row_ptr", n + 1), col_idx("example::col_idx", 5 * n);
  const Array<double> values("example::values", 5 * n);
  // Rows on the border keep their five entries; those that would leave the grid are zeros.
  Kokkos::parallel_for(
      "example::laplacian", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        const int steps[5] = {-side, -1, 0, 1, side};
        const bool inside[5] = {i >= side, i % side > 0, true, i % side < side - 1, i < n - side};
        row_ptr(i) = 5 * i;
        if (i == n - 1) row_ptr(n) = 5 * n;
        for (int s = 0; s < 5; ++s) {
          col_idx(5 * i + s) = inside[s] ? i + steps[s] : i;
          values(5 * i + s) = s == 2 ? 4.0 : (inside[s] ? -1.0 : 0.0);
        }
      });

  const heddle::CsrMatrix matrix(n, n, row_ptr, col_idx, values);
  heddle::SpmvPlan A(exec, matrix);
  heddle::CgSolver<Exec, double> cg(exec, n);
  const Array<double> u("example::u", n), f("example::f", n);
  Kokkos::deep_copy(exec, f, 1.0);

  const heddle::KrylovResult plain = cg.solve(exec, A, f, u);
  std::printf("no preconditioner: %s, %d products, residual %.1e\n", name(plain.outcome),
              plain.iterations, plain.relative_residual());

  heddle::GaussSeidelPlan sweep(exec, matrix);
  Kokkos::deep_copy(exec, u, 0.0);
  const heddle::KrylovResult swept = cg.solve(exec, A, f, u, sweep);
  std::printf("Gauss-Seidel: %s, %d products, residual %.1e\n", name(swept.outcome),
              swept.iterations, swept.relative_residual());
  return plain.converged() && swept.converged() ? 0 : 1;
}
