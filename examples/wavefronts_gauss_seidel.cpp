// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose iterations depend on each other, run in parallel: sweeps of symmetric Gauss-Seidel
// for the five-point Laplacian on a square grid, without a matrix.
#include <cmath>
#include <cstdio>
#include <heddle/wavefronts.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Exec::memory_space>;

/// Visits the neighbours of point i: what iteration i of a sweep reads.
struct Neighbours {
  int side;

  template <class Visit>
  KOKKOS_FUNCTION void operator()(int i, const Visit& visit) const {
    if (i >= side) visit(i - side);
    if (i % side > 0) visit(i - 1);
    if (i % side < side - 1) visit(i + 1);
    if (i < side * (side - 1)) visit(i + side);
  }
};

/// Solves the equation of point i for u(i): 4 u(i) - (sum of its neighbours) = f(i).
struct Relax {
  Neighbours neighbours;
  Vector f, u;

  KOKKOS_FUNCTION void operator()(int i) const {
    double sum = f(i);
    neighbours(i, [&](int j) { sum += u(j); });
    u(i) = sum / 4;
  }
};

double residual(const Exec& exec, const Relax& equation, int n) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "example::residual", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i, double& part) {
        double rest = equation.f(i) - 4 * equation.u(i);
        equation.neighbours(i, [&](int j) { rest += equation.u(j); });
        part += rest * rest;
      },
      sum);
  return std::sqrt(sum);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 300, n = side * side;
  const Neighbours neighbours{side};
  const Vector f("example::f", n), u("example::u", n);
  // A rough start, so that a smoother has something to do.
  Kokkos::parallel_for(
      "example::rough", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { u(i) = (i * 7 % 101) / 101.0; });

  // In a sweep the neighbours that come before i have new values, and those after it old ones.
  const auto old = heddle::ReadsAhead::old_value;
  const heddle::Wavefronts down(exec, n, neighbours, {.ahead = old});
  const heddle::Wavefronts up(exec, n, neighbours,
                              {.sweep = heddle::SweepDirection::backward, .ahead = old});
  std::printf("%d points, %d wavefronts, by %s\n", n, down.levels(),
              down.scheme().to_string().c_str());

  const Relax relax{neighbours, f, u};
  const double before = residual(exec, relax, n);
  for (int sweep = 0; sweep < 20; ++sweep) {
    down.for_each(exec, "example::sweep::down", relax);
    up.for_each(exec, "example::sweep::up", relax);
  }
  const double after = residual(exec, relax, n);
  std::printf("residual %.2e, and after 20 sweeps there and back %.2e\n", before, after);
  return after < before / 10 && down.levels() == 2 * side - 1 ? 0 : 1;
}
