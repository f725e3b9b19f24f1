// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// [2 0; 1 4] with offsets of a type, times two ones.
#pragma once
#include <heddle/spmv.hpp>

#ifndef HEDDLE_COMPILED_DOUBLE
#error "Heddle::heddle does not say that its compiled part holds double"
#endif

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <class Off>
struct Small {
  Off row_ptr[3] = {0, 1, 3};
  int col_idx[3] = {0, 0, 1};
  double values[3] = {2, 1, 4};
  Kokkos::View<double*, Space> x{"x", 2}, y{"y", 2};

  heddle::CsrMatrix<double, int, Off, Space> matrix() const {
    return {2, 2, 3, row_ptr, col_idx, values};
  }
  /// Whether y = A x + A' x; one plan applies both.
  template <class Plan>
  bool applies(Plan& plan) const {
    const Exec exec;
    Kokkos::deep_copy(exec, x, 1.0);
    plan.apply(exec, 1.0, x, 0.0, y);
    plan.apply(exec, heddle::Op::transpose, 1.0, x, 1.0, y);
    exec.fence();
    return y(0) == 5.0 && y(1) == 9.0;
  }
};

bool unsigned_offsets();
bool one_format();
bool own_format();
bool kokkos_kernels();
bool triangular_solve();
