// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan in float, which a compiled part for double does not have.
#include "matrix.hpp"

using Floats = heddle::CsrMatrix<float, int, int, Space>;

void not_compiled(const Floats& A, const Kokkos::View<float*, Space>& x) {
  heddle::SpmvPlan plan(Exec(), A, {}, heddle::Formats<heddle::CooFormat>());
  plan.apply(Exec(), 1.0f, x, 0.0f, x);
}
