// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets as in Tpetra and in the default KokkosSparse::CrsMatrix.
#include <cstddef>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, std::size_t, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

void one_plan(const Exec& exec, const Matrix& A, const Vector& x, const Vector& y) {
  heddle::SpmvPlan plan(exec, A);
  plan.apply(exec, 1.0, x, 0.0, y);
}
