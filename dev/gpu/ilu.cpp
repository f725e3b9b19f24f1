// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of incomplete factors, for the scalar of one word and the one of two, and factors
// kept in less.
#include <heddle/ilu.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template <class Plan, Scalar S>
void factor(const Gpu& exec) {
  using Matrix = typename Plan::matrix_type;
  Plan plan(exec, Matrix(), {.fill_level = 1});
  plan.factor(exec, Matrix());
  plan.residual(exec, Matrix());
  const Kokkos::View<S*, Gpu> x;
  plan.apply(exec, x, x);
}

template <Scalar S, Scalar Kept>
void factors(const Gpu& exec) {
  using Matrix = CsrMatrix<S, int, int, Gpu::memory_space>;
  factor<IluPlan<Gpu, Matrix, Kept>, S>(exec);
  factor<IcPlan<Gpu, Matrix, Kept>, S>(exec);
}

template void factors<double, float>(const Gpu&);
template void factors<Kokkos::complex<double>, Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
