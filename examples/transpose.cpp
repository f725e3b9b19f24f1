// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix and its transpose by one plan: interpolation from a coarse grid to a fine one, and
// restriction by the transposed matrix.
#include <cstdio>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;
using heddle::Op;

double dot(const Exec& exec, const Array<double>& a, const Array<double>& b) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "example::dot", Kokkos::RangePolicy<Exec>(exec, 0, a.extent(0)),
      KOKKOS_LAMBDA(int i, double& part) { part += a(i) * b(i); }, sum);
  return sum;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;

  // Fine point 2j is coarse point j; 2j + 1 is the mean of coarse points j and j + 1.
  const int coarse = 1000, fine = 2 * coarse - 1, entries = 3 * coarse - 2;
  const Array<int> row_ptr("example::row_ptr", fine + 1), col_idx("example::col_idx", entries);
  const Array<double> values("example::values", entries);
  Kokkos::parallel_for(
      "example::interpolation", Kokkos::RangePolicy<Exec>(exec, 0, fine), KOKKOS_LAMBDA(int i) {
        const int j = i / 2, odd = i % 2, k = 3 * j + odd;
        row_ptr(i) = k;
        for (int side = 0; side <= odd; ++side) {
          col_idx(k + side) = j + side;
          values(k + side) = odd ? 0.5 : 1.0;
        }
        if (i == fine - 1) row_ptr(fine) = entries;
      });
  exec.fence();
  const heddle::CsrMatrix P(fine, coarse, row_ptr, col_idx, values);

  // The plan prepares the ops that are named: most schemes keep a transpose, with a scheme of its
  // own. plan.prepare(exec, op) does it later.
  heddle::SpmvPlan plan(exec, P, {.ops = {Op::transpose}});
  std::printf("P by %s, its transpose by %s; %zu bytes beside the matrix\n",
              plan.scheme().to_string().c_str(), plan.scheme(Op::transpose).to_string().c_str(),
              plan.bytes());

  const Array<double> x("example::x", coarse), y("example::y", fine), Px("example::Px", fine),
      Pty("example::Pty", coarse);
  Kokkos::parallel_for(
      "example::fill", Kokkos::RangePolicy<Exec>(exec, 0, fine), KOKKOS_LAMBDA(int i) {
        if (i < coarse) x(i) = i % 7;
        y(i) = i % 5;
      });
  plan.apply(exec, 1.0, x, 0.0, Px);
  plan.apply(exec, Op::transpose, 1.0, y, 0.0, Pty);  // the lengths of x and y are swapped

  // (P x) . y and x . (P' y) are equal, since all numbers are multiples of a half.
  const double there = dot(exec, Px, y), back = dot(exec, x, Pty);
  std::printf("%g and %g\n", there, back);
  return there == back ? 0 : 1;
}
