// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The minimal project of one's own: a matrix, a plan, a product.
#include <cstdio>
#include <heddle/spmv.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  using Exec = Kokkos::DefaultHostExecutionSpace;
  using Space = Exec::memory_space;
  const Exec exec;

  const int row_ptr[] = {0, 1, 3}, col_idx[] = {0, 0, 1};
  const double values[] = {2, 1, 4};
  const heddle::CsrMatrix<double, int, int, Space> A(2, 2, 3, row_ptr, col_idx, values);

  // Without the list of formats all are compiled if none is installed: docs/compile-time.md.
  heddle::SpmvPlan plan(exec, A, {}, heddle::Formats<heddle::CsrFormat>());
  const Kokkos::View<double*, Space> x("x", 2), y("y", 2);
  Kokkos::deep_copy(exec, x, 1.0);
  plan.apply(exec, 1.0, x, 0.0, y);
  exec.fence();

  std::printf("%s: %g %g\n", plan.scheme().to_string().c_str(), y(0), y(1));
  return y(0) == 2.0 && y(1) == 5.0 ? 0 : 1;
}
