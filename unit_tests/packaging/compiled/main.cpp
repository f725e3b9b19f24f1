// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One plan of the compiled part, on a matrix of [2 0; 1 4].
#include <cstdio>
#include <heddle/spmv.hpp>

#ifndef HEDDLE_COMPILED_DOUBLE
#error "Heddle::compiled does not say that it holds double"
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  using Exec = Kokkos::DefaultExecutionSpace;
  using Space = Exec::memory_space;
  const Exec exec;

  int row_ptr[] = {0, 1, 3}, col_idx[] = {0, 0, 1};
  double values[] = {2, 1, 4};
  const heddle::CsrMatrix<double, int, int, Space> A(2, 2, 3, row_ptr, col_idx, values);
  Kokkos::View<double*, Space> x("x", 2), y("y", 2);
  Kokkos::deep_copy(exec, x, 1.0);
  heddle::SpmvPlan plan(exec, A, {.ops = {heddle::Op::transpose}});
  plan.apply(exec, 1.0, x, 0.0, y);
  plan.apply(exec, heddle::Op::transpose, 1.0, x, 1.0, y);
  exec.fence();

  std::printf("%s: %g %g\n", plan.scheme().to_string().c_str(), y(0), y(1));
  return y(0) == 5.0 && y(1) == 9.0 ? 0 : 1;
}
