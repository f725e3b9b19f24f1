// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients whose preconditioner is two triangular solves: symmetric Gauss-Seidel,
// M = (D + L) D^-1 (D + U), with the triangles of A itself. Nothing is factored and nothing copied
// by hand: both plans borrow A and ignore what lies outside of their triangle.
#include <cmath>
#include <cstdio>
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;
using Range = Kokkos::RangePolicy<Exec>;

struct Grid {
  Array<int> row_ptr, col_idx;
  Array<double> values;
};

/// The five-point Laplacian on side x side points, without stored zeros.
Grid five_point_laplacian(const Exec& exec, int side) {
  const int n = side * side, entries = 5 * n - 4 * side;
  const Grid grid{Array<int>("example::row_ptr", n + 1), Array<int>("example::col_idx", entries),
                  Array<double>("example::values", entries)};
  const auto [row_ptr, col_idx, values] = grid;
  Kokkos::parallel_scan(
      "example::row_ptr", Range(exec, 0, n + 1), KOKKOS_LAMBDA(int i, int& sum, bool last) {
        if (last) row_ptr(i) = sum;
        if (i == n) return;
        sum += 1 + (i >= side) + (i % side > 0) + (i % side < side - 1) + (i < n - side);
      });
  Kokkos::parallel_for(
      "example::laplacian", Range(exec, 0, n), KOKKOS_LAMBDA(int i) {
        const int steps[5] = {-side, -1, 0, 1, side};
        const bool inside[5] = {i >= side, i % side > 0, true, i % side < side - 1, i < n - side};
        int k = row_ptr(i);
        for (int s = 0; s < 5; ++s) {
          if (!inside[s]) continue;
          col_idx(k) = i + steps[s];
          values(k++) = s == 2 ? 4.0 : -1.0;
        }
      });
  return grid;
}

double dot(const Exec& exec, const Array<double>& a, const Array<double>& b) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "example::dot", Range(exec, 0, a.extent(0)),
      KOKKOS_LAMBDA(int i, double& part) { part += a(i) * b(i); }, sum);
  return sum;
}

/// y = a*x + b*y
void add(const Exec& exec, double a, const Array<double>& x, double b, const Array<double>& y) {
  Kokkos::parallel_for(
      "example::add", Range(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(int i) { y(i) = a * x(i) + b * y(i); });
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 100, n = side * side;
  const Grid grid = five_point_laplacian(exec, side);
  const heddle::CsrMatrix A(n, n, grid.row_ptr, grid.col_idx, grid.values);

  heddle::SpmvPlan product(exec, A, {.expected_applies = 200});
  heddle::SptrsvPlan forward(exec, A,
                             {.triangle = heddle::Triangle::lower, .ignore_outside = true});
  heddle::SptrsvPlan backward(exec, A,
                              {.triangle = heddle::Triangle::upper, .ignore_outside = true});

  int steps[2] = {};
  double residual[2] = {};
  for (const bool preconditioned : {false, true}) {
    const auto precondition = [&](const Array<double>& r, const Array<double>& z) {
      if (!preconditioned) return Kokkos::deep_copy(exec, z, r);
      forward.apply(exec, 4.0, r, z);  // the diagonal is 4 everywhere: D (D + L)^-1 r
      backward.apply(exec, 1.0, z, z);
    };
    const Array<double> u("example::u", n), f("example::f", n), r("example::r", n),
        z("example::z", n), p("example::p", n), Ap("example::Ap", n);
    Kokkos::deep_copy(exec, f, 1.0);
    Kokkos::deep_copy(exec, r, f);  // u = 0, so the residual is f
    precondition(r, z);
    Kokkos::deep_copy(exec, p, z);
    double rz = dot(exec, r, z);
    const double target = 1e-16 * dot(exec, f, f);
    int& step = steps[preconditioned];
    for (; dot(exec, r, r) > target && step < 1000; ++step) {
      product.apply(exec, 1.0, p, 0.0, Ap);
      const double alpha = rz / dot(exec, p, Ap);
      add(exec, alpha, p, 1.0, u);
      add(exec, -alpha, Ap, 1.0, r);
      precondition(r, z);
      const double next = dot(exec, r, z);
      add(exec, 1.0, z, next / rz, p);
      rz = next;
    }
    // What counts is the residual of the answer, not the one carried along.
    Kokkos::deep_copy(exec, r, f);
    product.apply(exec, -1.0, u, 1.0, r);
    residual[preconditioned] = std::sqrt(dot(exec, r, r) / dot(exec, f, f));
  }
  std::printf("%s and %s\n", product.scheme().to_string().c_str(),
              forward.scheme().to_string().c_str());
  std::printf("CG: %d steps, residual %.1e\n", steps[0], residual[0]);
  std::printf("CG with Gauss-Seidel: %d steps, residual %.1e\n", steps[1], residual[1]);
  return residual[0] < 1e-7 && residual[1] < 1e-7 && 2 * steps[1] < steps[0] + 20 ? 0 : 1;
}
