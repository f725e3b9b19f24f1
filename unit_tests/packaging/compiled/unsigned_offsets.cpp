// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets of Tpetra's type.
#include "matrix.hpp"

bool unsigned_offsets() {
  const Small<std::size_t> small;
  heddle::SpmvPlan plan(Exec(), small.matrix(), {.ops = {heddle::Op::transpose}});
  return small.applies(plan);
}
