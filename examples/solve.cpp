// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Systems of four kinds, for which heddle::solve chooses method and preconditioner: it prints what
// it saw in A, what it considered and what ran. Then a Solver serves a loop with new values.
#include <cmath>
#include <cstdio>
#include <heddle/solve.hpp>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

/// The values of -div grad u + speed du/dx - shift u, on the pattern of the Laplacian.
void set_values(const Exec& exec, const example::Matrix& A, double speed, double shift) {
  Kokkos::parallel_for(
      "example::values", Kokkos::RangePolicy<Exec>(exec, 0, A.rows), KOKKOS_LAMBDA(int i) {
        for (int k = A.row_ptr(i); k < A.row_ptr(i + 1); ++k) {
          const int step = A.col_idx(k) - i;
          A.values(k) = step == 0    ? 4 - shift
                        : step == -1 ? -1 - speed
                        : step == 1  ? speed - 1
                                     : -1;
        }
      });
}

/// |b - A x| / |b| by a loop of the host.
double residual(const example::Matrix& A, const Array<double>& b, const Array<double>& x) {
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr);
  const auto col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.col_idx);
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.values);
  const auto right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  const auto solution = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  double rest = 0, all = 0;
  for (int i = 0; i < A.rows; ++i) {
    double sum = right(i);
    for (int k = row_ptr(i); k < row_ptr(i + 1); ++k) sum -= values(k) * solution(col_idx(k));
    rest += sum * sum;
    all += right(i) * right(i);
  }
  return std::sqrt(rest / all);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 60, n = side * side;
  const example::Matrix grid = example::laplacian(exec, side);
  const auto A = grid.csr();
  const Array<double> b("example::b", n), x("example::x", n);
  Kokkos::deep_copy(exec, b, 1.0);
  bool well = true;

  struct Kind {
    const char* name;
    double speed, shift;
  };
  for (const Kind& kind : {Kind{"diffusion", 0, 0}, Kind{"a slow flow", 0.1, 0},
                           Kind{"a fast flow", 0.9, 0}, Kind{"waves", 0, 0.3}}) {
    set_values(exec, grid, kind.speed, kind.shift);
    const auto [y, report] = heddle::solve(exec, A, b);
    std::printf("%s: %s\n", kind.name, report.to_string().c_str());
    well = well && report.converged() && residual(grid, b, y) < 1.001e-8;
  }

  set_values(exec, grid, 0, 0);
  heddle::Solver solver(exec, A, {.expected_solves = 10});
  for (int step = 0; step < 3; ++step) {
    if (step > 0) {
      set_values(exec, grid, 0, -0.1 * step);
      solver.update_values(exec, A);
    }
    const heddle::SolveReport& report = solver.solve(exec, b, x);
    std::printf("step %d: %s after %d iterations by %s, %zu bytes held\n", step,
                name(report.outcome), report.iterations,
                report.attempts.empty() ? "no pair" : report.attempts.back().pair.c_str(),
                solver.bytes());
    well = well && report.converged() && residual(grid, b, x) < 1.001e-8;
  }
  return well ? 0 : 1;
}
