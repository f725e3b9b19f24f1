// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flow across a grid whose speed grows from step to step: the pattern is inspected once, and
// every step has new values, new factors, and a solve by BiCGStab.
#include <cstdio>
#include <heddle/bicgstab.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;

/// The five-point star of u / dt - div grad u + speed du/dx on a grid of side x side.
struct Star {
  int side;
  Array<int> row_ptr, col_idx;
  Array<double> values;
  double speed;

  KOKKOS_FUNCTION void operator()(int i) const {
    const int n = side * side;
    const int steps[5] = {-side, -1, 0, 1, side};
    const bool inside[5] = {i >= side, i % side > 0, true, i % side < side - 1, i < n - side};
    const double entries[5] = {-1.0, -1.0 - speed, 4.1 + speed, -1.0, -1.0};
    // Entries that would leave the grid are zeros on the diagonal, which add up with it.
    for (int s = 0; s < 5; ++s) {
      col_idx(5 * i + s) = inside[s] ? i + steps[s] : i;
      values(5 * i + s) = inside[s] ? entries[s] : 0.0;
    }
    row_ptr(i) = 5 * i;
    if (i == n - 1) row_ptr(n) = 5 * n;
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 60, n = side * side;
  Star star{side, Array<int>("example::row_ptr", n + 1), Array<int>("example::col_idx", 5 * n),
            Array<double>("example::values", 5 * n), 0.1};
  const auto set_values = [&](double speed) {
    star.speed = speed;
    Kokkos::parallel_for("example::star", Kokkos::RangePolicy<Exec>(exec, 0, n), star);
  };
  set_values(0.1);
  const heddle::CsrMatrix matrix(n, n, star.row_ptr, star.col_idx, star.values);
  heddle::SpmvPlan A(exec, matrix);
  heddle::IluPlan M(exec, matrix, {.fill_level = 1});
  heddle::BicgstabSolver<Exec, double> solver(exec, n);
  std::printf("%s, residual of the factors %.1e\n", M.scheme().to_string().c_str(),
              M.residual(exec, matrix));

  const Array<double> u("example::u", n), f("example::f", n);
  Kokkos::deep_copy(exec, f, 1.0);
  bool well = true;
  for (const double speed : {0.1, 1.0, 10.0}) {
    set_values(speed);
    A.update_values(exec, matrix);
    M.factor(exec, matrix);
    M.check_pivots(exec);
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
