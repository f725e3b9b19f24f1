// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plain_cg.hpp"

#include <cmath>

namespace demo {

namespace {

/// Conjugate gradients over either kind of loops (M. Hestenes, E. Stiefel, 1952).
template <class Loops, class V>
Solved iterate(const Loops& loops, const V& b, const V& x) {
  const V inverse = loops.inverse_diagonal(), r = loops.vector(), z = loops.vector(),
          p = loops.vector(), q = loops.vector();
  loops.each(KOKKOS_LAMBDA(int i) { x[i] = 0, r[i] = b[i], p[i] = 0; });
  const double enough = tolerance * std::sqrt(loops.dot(b, b));
  double before = 1;
  for (int done = 0; done < most_iterations; ++done) {
    if (std::sqrt(loops.dot(r, r)) <= enough) return {true, done};
    loops.each(KOKKOS_LAMBDA(int i) { z[i] = inverse[i] * r[i]; });
    const double rho = loops.dot(r, z), beta = done > 0 ? rho / before : 0;
    loops.each(KOKKOS_LAMBDA(int i) { p[i] = z[i] + beta * p[i]; });
    loops.product(p, q);
    const double alpha = rho / loops.dot(p, q);
    loops.each(KOKKOS_LAMBDA(int i) { x[i] += alpha * p[i], r[i] -= alpha * q[i]; });
    before = rho;
  }
  return {false, most_iterations};
}

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}
using HostVector = Kokkos::View<double*, Kokkos::HostSpace>;

/// Loops of one thread.
struct PlainLoops {
  Kokkos::View<int*, Kokkos::HostSpace> row_ptr, col_idx;
  HostVector values;
  int rows = static_cast<int>(row_ptr.extent(0)) - 1;

  HostVector vector() const { return HostVector("demo::plain_vector", row_ptr.extent(0) - 1); }
  HostVector inverse_diagonal() const {
    const HostVector inverse = vector();
    for (int i = 0; i < rows; ++i) {
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        if (col_idx[k] == i) inverse[i] = 1 / values[k];
      }
    }
    return inverse;
  }
  template <class Body>
  void each(const Body& body) const {
    for (int i = 0; i < rows; ++i) body(i);
  }
  double dot(const HostVector& u, const HostVector& v) const {
    double sum = 0;
    for (int i = 0; i < rows; ++i) sum += u[i] * v[i];
    return sum;
  }
  void product(const HostVector& u, const HostVector& v) const {
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += values[k] * u[col_idx[k]];
      v[i] = sum;
    }
  }
};

struct KokkosLoops {
  Exec exec;
  Rows A;

  Vector vector() const { return Vector("demo::kokkos_vector", A.rows); }
  Vector inverse_diagonal() const {
    const Vector inverse = vector();
    const Rows& rows = A;
    each(KOKKOS_LAMBDA(int i) {
      for (int k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
        if (rows.col_idx[k] == i) inverse[i] = 1 / rows.values[k];
      }
    });
    return inverse;
  }
  template <class Body>
  void each(const Body& body) const {
    Kokkos::parallel_for("demo::each", Kokkos::RangePolicy<Exec>(exec, 0, A.rows), body);
  }
  double dot(const Vector& u, const Vector& v) const {
    double sum = 0;
    Kokkos::parallel_reduce(
        "demo::dot", Kokkos::RangePolicy<Exec>(exec, 0, A.rows),
        KOKKOS_LAMBDA(int i, double& part) { part += u[i] * v[i]; }, sum);
    return sum;
  }
  void product(const Vector& u, const Vector& v) const { range_product(exec, A, u, v); }
};

}  // namespace

Solved plain_cg(const Rows& A, const Vector& b, const Vector& x) {
  const PlainLoops loops{on_host(A.row_ptr), on_host(A.col_idx), on_host(A.values)};
  const HostVector on_host_x = loops.vector();
  const Solved solved = iterate<PlainLoops, HostVector>(loops, on_host(b), on_host_x);
  Kokkos::deep_copy(x, on_host_x);
  return solved;
}

Solved kokkos_cg(const Exec& exec, const Rows& A, const Vector& b, const Vector& x) {
  return iterate(KokkosLoops{exec, A}, b, x);
}

double residual(const Rows& A, const Vector& b, const Vector& x) {
  const auto row_ptr = on_host(A.row_ptr), col_idx = on_host(A.col_idx);
  const auto values = on_host(A.values), b_host = on_host(b), x_host = on_host(x);
  long double residual = 0, reference = 0;
  for (int i = 0; i < A.rows; ++i) {
    long double difference = b_host[i];
    reference += difference * difference;
    for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      difference -= static_cast<long double>(values[k]) * x_host[col_idx[k]];
    }
    residual += difference * difference;
  }
  return static_cast<double>(std::sqrt(residual / reference));
}

}  // namespace demo
