// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of matrix factorization: the inspector's, and epochs of rank 16, 32 and of any.
#include <heddle/sgd.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template <class S>
double epochs(const Gpu& exec, const SgdOptions& options) {
  const SgdPlan<Gpu, S> plan(exec, {}, options);
  const Kokkos::View<S**, Kokkos::LayoutRight, Gpu> p, q;
  plan.start(exec, p, q);
  plan.epoch(exec, p, q, 0.1, 0.1);
  return plan.rmse(exec, p, q);
}

template double epochs<float>(const Gpu&, const SgdOptions&);
template double epochs<double>(const Gpu&, const SgdOptions&);

}  // namespace heddle
