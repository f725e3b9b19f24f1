// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of incomplete factors, for the scalar of one word and the one of two, stored in
// either precision.
#include <heddle/ilu.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template <class Plan>
void factor(const Gpu& exec) {
  using Matrix = typename Plan::matrix_type;
  using S = typename Plan::scalar_type;
  Plan plan(exec, Matrix(), {.fill_level = 1});
  plan.update_values(exec, Matrix());
  plan.residual(exec, Matrix());
  const Kokkos::View<S*, Gpu> x;
  plan.apply(exec, x, x);
}

template <Scalar S>
void factors(const Gpu& exec) {
  using Matrix = CsrMatrix<S, int, int, Gpu::memory_space>;
  factor<IluPlan<Gpu, Matrix>>(exec);
  factor<IcPlan<Gpu, Matrix>>(exec);
}

template void factors<double>(const Gpu&);
template void factors<Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
