// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of docs/first-solve.md: Poisson's equation on a square is assembled from triplets and
// solved by conjugate gradients, plain and with three preconditioners.
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/csr.hpp>
#include <heddle/ilu.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec>;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 100, n = side * side;

  // Five triplets a point: its own, and one for each neighbour. One beyond the edge of the grid
  // becomes a zero that is added to the diagonal.
  const Array<int> row("row", 5 * n), column("column", 5 * n);
  const Array<double> entry("entry", 5 * n);
  Kokkos::parallel_for(
      "triplets", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        const int steps[] = {0, -1, 1, -side, side};
        const bool inside[] = {true, i % side > 0, i % side < side - 1, i >= side, i < n - side};
        for (int s = 0; s < 5; ++s) {
          row(5 * i + s) = i;
          column(5 * i + s) = inside[s] ? i + steps[s] : i;
          entry(5 * i + s) = s == 0 ? 4 : inside[s] ? -1 : 0;
        }
      });
  const auto stored = heddle::assemble(exec, n, n, row, column, entry);
  const auto A = stored.matrix();  // borrows the arrays of `stored`
  std::printf("%d rows, %d entries\n", A.rows(), A.nonzeros());

  const Array<double> b("b", n), x("x", n);
  Kokkos::deep_copy(exec, b, 1.0);

  // The plan of the product inspects A and chooses a scheme; the solver allocates all its memory.
  heddle::SpmvPlan product(exec, A);
  heddle::CgSolver cg(exec, n, {.relative_tolerance = 1e-8, .zero_guess = true, .history = true});
  std::printf("products by %s\n", product.scheme().to_string().c_str());

  bool right = true;
  const auto report = [&](const char* with, const heddle::KrylovResult& result) {
    std::printf("%-10s %s: %d iterations, residual %.1e\n", with, name(result.outcome),
                result.iterations, result.relative_residual());
    right = right && result.converged();
    return result.iterations;
  };

  const int plain = report("none", cg.solve(exec, product, b, x));
  const auto history = cg.history(exec);  // residual norms; the last one is |b - A x|
  for (std::size_t i = 0; i < history.size(); i += 50) {
    std::printf("  residual %zu: %.2e\n", i, history[i]);
  }

  heddle::JacobiPreconditioner jacobi(exec, A);
  report("Jacobi", cg.solve(exec, product, b, x, jacobi));

  heddle::IcPlan factors(exec, A);
  const int factored = report("IC(0)", cg.solve(exec, product, b, x, factors));

  heddle::MultigridPlan multigrid(exec, A);
  const int few = report("multigrid", cg.solve(exec, product, b, x, multigrid));
  std::printf("%s", multigrid.levels().to_string().c_str());

  return right && factored < plain && few < 20 ? 0 : 1;
}
