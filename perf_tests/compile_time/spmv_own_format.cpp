// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's own format in addition to the library's.
#include <heddle/spmv.hpp>

#include "../../testing/user_format.hpp"

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;
using List = heddle::Formats<heddle::CsrFormat, heddle::EllFormat, user::DenseFormat>;

void one_plan(const Exec& exec, const Matrix& A, const Vector& x, const Vector& y) {
  heddle::SpmvPlan plan(exec, A, {}, List());
  plan.apply(exec, 1.0, x, 0.0, y);
}
