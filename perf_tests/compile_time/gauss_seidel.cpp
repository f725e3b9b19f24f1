// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/gauss_seidel.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

void one_plan(const Exec& exec, const Matrix& A, const Vector& b, const Vector& x) {
  heddle::GaussSeidelPlan plan(exec, A);
  plan.apply(exec, b, x);
}
