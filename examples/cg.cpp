// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves A u = f for the five-point Laplacian on a square grid by conjugate gradients: plain, with
// a preconditioner of one's own, made of two triangular solves, and with a plan that does the same.
#include <cstdio>
#include <cstdlib>
#include <heddle/cg.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

/// Symmetric Gauss-Seidel, (D + L) D^-1 (D + U), with the triangles of A itself, whose diagonal is
/// 4 everywhere: nothing is factored, and each plan ignores entries outside of its triangle.
template <class Matrix>
struct TwoSolves {
  heddle::SptrsvPlan<Exec, Matrix> forward, backward;

  TwoSolves(const Exec& exec, const Matrix& A)
      : forward(exec, A, {.triangle = heddle::Triangle::lower, .ignore_outside = true}),
        backward(exec, A, {.triangle = heddle::Triangle::upper, .ignore_outside = true}) {}

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    forward.apply(exec, 4.0, b, x);
    backward.apply(exec, 1.0, x, x);
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 100, n = side * side;
  const example::Matrix stored = example::laplacian(exec, side);
  const auto matrix = stored.csr();
  heddle::SpmvPlan A(exec, matrix);
  heddle::CgSolver<Exec, double> cg(exec, n);
  const Array<double> u("example::u", n), f("example::f", n);
  Kokkos::deep_copy(exec, f, 1.0);

  // One solver for all preconditioners. A solver made for one of them must take the same steps; if
  // not, the shared solver ran with another preconditioner.
  bool right = true;
  const auto solve = [&](const char* with, auto&&... preconditioner) {
    Kokkos::deep_copy(exec, u, 0.0);
    const heddle::KrylovResult result = cg.solve(exec, A, f, u, preconditioner...);
    std::printf("%s: %s, %d products, residual %.1e\n", with, name(result.outcome),
                result.iterations, result.relative_residual());
    heddle::CgSolver<Exec, double> fresh(exec, n);
    Kokkos::deep_copy(exec, u, 0.0);
    const int alone = fresh.solve(exec, A, f, u, preconditioner...).iterations;
    if (alone != result.iterations) std::printf("  and %d by a new solver\n", alone);
    right = right && result.converged() && alone == result.iterations;
    return result.iterations;
  };
  TwoSolves solves(exec, matrix);
  heddle::GaussSeidelPlan sweep(exec, matrix);
  const int plain = solve("no preconditioner");
  const int solved = solve("two triangular solves", solves);
  const int swept = solve("Gauss-Seidel", sweep);
  right = right && 2 * solved < plain + 20 && std::abs(solved - swept) <= 1;
  return right ? 0 : 1;
}
