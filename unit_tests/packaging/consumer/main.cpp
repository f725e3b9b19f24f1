// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First steps of a project that uses Heddle: one matrix, one product.
#include <cstdio>
#include <heddle/config.hpp>
#include <heddle/heddle.hpp>
#include <heddle/spmv.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  using Exec = Kokkos::DefaultHostExecutionSpace;
  using Space = Exec::memory_space;
  const Exec exec;

  int row_ptr[] = {0, 1, 3}, col_idx[] = {0, 0, 1};
  double values[] = {2, 1, 4};
  const heddle::CsrMatrix<double, int, int, Space> A(2, 2, 3, row_ptr, col_idx, values);
  Kokkos::View<double*, Space> x("x", 2), y("y", 2);
  Kokkos::deep_copy(exec, x, 1.0);
  heddle::spmv(exec, 1.0, A, x, 0.0, y);
  exec.fence();

  std::printf("heddle %s: %g %g\n", HEDDLE_VERSION, y(0), y(1));
  return y(0) == 2.0 && y(1) == 5.0 ? 0 : 1;
}
