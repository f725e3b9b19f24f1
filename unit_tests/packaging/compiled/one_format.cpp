// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of one of the library's formats.
#include "matrix.hpp"

bool one_format() {
  const Small<int> small;
  heddle::SpmvPlan plan(Exec(), small.matrix(), {.ops = {heddle::Op::transpose}},
                        heddle::Formats<heddle::EllFormat>());
  return small.applies(plan) && plan.scheme().format() == "ell";
}
