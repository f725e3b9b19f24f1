// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common part of the sources of heddle_test_instances; another header defines the format.
#pragma once

#include "../../testing/plan_types.hpp"

namespace heddle::test {

template <class F, Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect_shared(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  return F::template inspect<V, Acc>(in, scheme);
}

/// Names every inspect_shared of a format and type k of TestedTypes, so that each is compiled where
/// this is instantiated: for floats also those with wider vectors, or wider sums.
template <class F, std::size_t k>
struct SharedInstances {
  using T = TestedPlanType<Formats<>, k>;
  using Matrix = SignedOffsets<typename T::Matrix>;  // the only one that formats see
  template <Scalar V, Scalar Acc>
  static constexpr auto inspect = &inspect_shared<F, V, Acc, typename T::Exec, Matrix>;

  static auto all() {
    using S = typename T::Scalar;
    if constexpr (std::is_same_v<S, float>) {
      return std::tuple(inspect<S, S>, inspect<double, double>, inspect<S, double>);
    } else {
      return inspect<S, S>;
    }
  }
};

}  // namespace heddle::test
