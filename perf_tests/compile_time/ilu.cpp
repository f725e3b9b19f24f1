// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/ilu.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

void one_plan(const Exec& exec, const Matrix& A, const Vector& b, const Vector& x) {
  heddle::IluPlan plan(exec, A);
  plan.apply(exec, b, x);
}
