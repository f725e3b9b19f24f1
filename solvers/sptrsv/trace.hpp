// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "definitions.hpp"
#include "plan.hpp"

namespace heddle::detail::sptrsv {

/// Reaches into a plan, for programs that study it: whoever names it compiles the kernels of the
/// plan once more, with time stamps in them, for one right-hand side.
struct TraceAccess {
  /// One solve by the plan's scheme, traced. Allocates, and waits for `exec`. Throws Error where
  /// the device has no clock that its threads share, for an op that is not prepared, and for more
  /// right-hand sides than one.
  template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
  static SolveTrace trace(const Exec& exec, SptrsvPlan<Exec, Matrix, V, Acc>& plan, Op op,
                          Acc alpha, const Multivector<const V>& b, const Multivector<V>& x) {
    auto& runs = plan.core_.executor(op, "trace");
    triangle::check_right_hand_sides(plan.core_.T_.rows(), b, x);
    if (x.count != 1) {
      throw Error("a solve with " + std::to_string(x.count) + " right-hand sides was to be traced",
                  "trace a solve with one");
    }
    return runs.trace(exec, conjugates(op), alpha, b, x);
  }
};

}  // namespace heddle::detail::sptrsv
