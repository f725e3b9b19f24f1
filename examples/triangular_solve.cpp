// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves with a triangle: L x = b and L' x = b, where L is the lower triangle of a matrix and the
// rest is not read. At the end, new values make a diagonal entry zero.
#include <cstdio>
#include <heddle/sptrsv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;
using heddle::Op;

/// b = L x or L' x for x of ones, row by row, on the host, to check the solutions.
Array<double> right_hand_side(const example::Matrix& A, bool transposed) {
  const Kokkos::HostSpace host;
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(host, A.row_ptr);
  const auto col_idx = Kokkos::create_mirror_view_and_copy(host, A.col_idx);
  const auto values = Kokkos::create_mirror_view_and_copy(host, A.values);
  const Array<double> b("example::b", A.rows);
  const auto b_host = Kokkos::create_mirror_view(b);
  Kokkos::deep_copy(b_host, 0.0);
  for (int i = 0; i < A.rows; ++i) {
    for (int k = row_ptr(i); k < row_ptr(i + 1); ++k) {
      if (col_idx(k) <= i) b_host(transposed ? col_idx(k) : i) += values(k);
    }
  }
  Kokkos::deep_copy(b, b_host);
  return b;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const example::Matrix A = example::laplacian(exec, 100);

  // Diagonal::unit is for a triangle whose diagonal is one and not stored, as L of an LU matrix.
  heddle::SptrsvPlan L(
      exec, A.csr(),
      {.triangle = heddle::Triangle::lower, .ignore_outside = true, .ops = {Op::transpose}});
  std::printf("%s, set up in %.1e s, %zu bytes\n", L.scheme().to_string().c_str(),
              L.setup_seconds(), L.bytes());

  const Array<double> ones("example::ones", A.rows), x("example::x", A.rows);
  Kokkos::deep_copy(exec, ones, 1.0);
  L.apply(exec, 1.0, right_hand_side(A, false), x);  // x = L^-1 b; x may be b itself
  const double error = example::largest_difference(exec, x, ones);
  L.apply(exec, Op::transpose, 1.0, right_hand_side(A, true), x);
  const double transposed_error = example::largest_difference(exec, x, ones);
  std::printf("errors %.1e and %.1e\n", error, transposed_error);

  // The first row's diagonal is its first entry. An inspection would throw; update_values does not
  // wait, but leaves a note on the device, which check_values reads.
  Kokkos::deep_copy(exec, Kokkos::subview(A.values, 0), 0.0);
  L.update_values(exec, A.csr());
  try {
    L.check_values(exec);
  } catch (const heddle::Error& zero) {
    std::printf("%s\n", zero.what());
    return error < 1e-12 && transposed_error < 1e-12 ? 0 : 1;
  }
  return 1;
}
