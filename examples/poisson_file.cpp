// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Poisson's equation, or any symmetric positive definite system, from a Matrix Market file:
// conjugate gradients with multigrid and without, and the residual computed again by a plain loop.
#include <cmath>
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/matrix_market.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

/// |b - A x| / |b|, without a plan.
template <class Matrix>
double residual(const Exec& exec, const Matrix& A, const Array<double>& b, const Array<double>& x) {
  const auto row_ptr = A.row_ptr();
  const auto col_idx = A.col_idx();
  const auto values = A.values();
  double squares = 0, of_b = 0;
  Kokkos::parallel_reduce(
      "example::residual", Kokkos::RangePolicy<Exec>(exec, 0, A.rows()),
      KOKKOS_LAMBDA(int i, double& sum) {
        double rest = b(i);
        for (int k = row_ptr(i); k < row_ptr(i + 1); ++k) rest -= values(k) * x(col_idx(k));
        sum += rest * rest;
      },
      squares);
  Kokkos::parallel_reduce(
      "example::norm", Kokkos::RangePolicy<Exec>(exec, 0, A.rows()),
      KOKKOS_LAMBDA(int i, double& sum) { sum += b(i) * b(i); }, of_b);
  return std::sqrt(squares / of_b);
}

bool solve(const char* path) {
  const Exec exec;
  const auto stored =
      heddle::read_matrix_market<double, int, int>(path).copy_to<Exec::memory_space>(exec);
  const auto A = stored.matrix();
  const Array<double> b("example::b", A.rows()), x("example::x", A.rows());
  Kokkos::deep_copy(exec, b, 1.0);

  Kokkos::Timer timer;
  heddle::MultigridPlan multigrid(exec, A);
  const double setup = timer.seconds();
  std::printf("%s: %d rows, %d entries\n%s", path, A.rows(), A.nonzeros(),
              multigrid.levels().to_string().c_str());
  if (!multigrid.symmetric()) {
    std::printf("the matrix is not symmetric: take GmresSolver\n");
    return false;
  }

  heddle::SpmvPlan product(exec, A);
  heddle::CgSolver<Exec, double> cg(exec, A.rows(),
                                    {.relative_tolerance = 1e-10, .zero_guess = true});
  const auto report = [&](const char* with, const heddle::KrylovResult& result, double seconds) {
    const double apart = residual(exec, A, b, x);
    std::printf("%-9s %s, %d iterations, %.1f ms; residual %.1e\n", with, name(result.outcome),
                result.iterations, 1e3 * seconds, apart);
    return result.converged() && apart < 1e-9;
  };
  timer.reset();
  const auto plain = cg.solve(exec, product, b, x);
  const bool right = report("none", plain, timer.seconds());
  timer.reset();
  const auto fast = cg.solve(exec, product, b, x, multigrid);
  return report("multigrid", fast, setup + timer.seconds()) && right &&
         fast.iterations < plain.iterations;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE.mtx[.gz|.xz]\n", argv[0]);
    return 2;
  }
  try {
    return solve(argv[1]) ? 0 : 1;
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
