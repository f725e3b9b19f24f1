// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All schemes of triangular solves, compiled in this source without a compiled part.
#include <heddle/sptrsv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

void one_plan(const Exec& exec, const Matrix& T, const Vector& b, const Vector& x) {
  heddle::SptrsvPlan plan(exec, T);
  plan.apply(exec, 1.0, b, x);
}
