// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A triangular solve, with either kind of offsets.
#include <heddle/sptrsv.hpp>

#include "matrix.hpp"

namespace {

template <class Off>
bool solves() {
  const Small<Off> small;
  const Exec exec;
  heddle::SptrsvPlan plan(exec, small.matrix(), {.ops = {heddle::Op::transpose}});
  Kokkos::deep_copy(exec, small.x, 4.0);
  plan.apply(exec, 1.0, small.x, small.y);
  plan.apply(exec, heddle::Op::transpose, 1.0, small.y, small.x);
  plan.update_values(exec, small.matrix());
  plan.check_values(exec);
  return small.y(0) == 2.0 && small.y(1) == 0.5 && small.x(0) == 0.9375 && small.x(1) == 0.125;
}

}  // namespace

bool triangular_solve() { return solves<int>() && solves<std::size_t>(); }
