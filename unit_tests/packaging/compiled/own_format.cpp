// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's own format in a list with the library's.
#include "../../../testing/user_format.hpp"
#include "matrix.hpp"

bool own_format() {
  const Small<int> small;
  heddle::SpmvPlan plan(Exec(), small.matrix(), {.scheme = "dense", .ops = {heddle::Op::transpose}},
                        heddle::Formats<heddle::CsrFormat, user::DenseFormat>());
  return small.applies(plan) && plan.scheme().format() == "dense";
}
