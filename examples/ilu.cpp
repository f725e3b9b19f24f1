// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flow across a grid whose speed grows from step to step: the pattern is inspected once, and
// every step has new values, new factors, and a solve by BiCGStab.
#include <cstdio>
#include <heddle/bicgstab.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

/// The values of u / dt - div grad u + speed du/dx, on the pattern of the Laplacian.
void set_values(const Exec& exec, const example::Matrix& A, double speed) {
  Kokkos::parallel_for(
      "example::flow", Kokkos::RangePolicy<Exec>(exec, 0, A.rows), KOKKOS_LAMBDA(int i) {
        for (int k = A.row_ptr(i); k < A.row_ptr(i + 1); ++k) {
          const int step = A.col_idx(k) - i;
          A.values(k) = step == 0 ? 4.1 + speed : step == -1 ? -1.0 - speed : -1.0;
        }
      });
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 60, n = side * side;
  const example::Matrix flow = example::laplacian(exec, side);
  const auto matrix = flow.csr();
  set_values(exec, flow, 0.1);
  heddle::SpmvPlan A(exec, matrix);
  heddle::IluPlan M(exec, matrix, {.fill_level = 1});
  heddle::BicgstabSolver<Exec, double> solver(exec, n);
  std::printf("%s, residual of the factors %.1e\n", M.scheme().to_string().c_str(),
              M.residual(exec, matrix));

  const Array<double> u("example::u", n), f("example::f", n);
  Kokkos::deep_copy(exec, f, 1.0);
  bool well = true;
  for (const double speed : {0.1, 1.0, 10.0}) {
    set_values(exec, flow, speed);
    A.update_values(exec, matrix);
    M.update_values(exec, matrix);
    M.check_values(exec);
    const auto solve = [&](auto&&... preconditioner) {
      Kokkos::deep_copy(exec, u, 0.0);
      return solver.solve(exec, A, f, u, preconditioner...);
    };
    const heddle::KrylovResult plain = solve(), with = solve(M);
    std::printf("speed %4.1f: %3d iterations without, %3d with incomplete factors\n", speed,
                plain.iterations, with.iterations);
    well = well && with.converged() && with.iterations < plain.iterations;
  }
  return well ? 0 : 1;
}
