// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of two matrices.
#include <heddle/csr.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;

auto one_product(const Exec& exec, const Matrix& A, const Matrix& B) {
  heddle::MultiplyPlan plan(exec, A, B);
  plan.numeric(exec, A, B);
  return plan.storage();
}
