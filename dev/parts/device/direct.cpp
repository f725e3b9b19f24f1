// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of direct factorizations, for the scalar of one word and the one of two.
#include <heddle/direct.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template <Scalar S>
void factors(const Gpu& exec) {
  using Matrix = CsrMatrix<S, int, int, Gpu::memory_space>;
  DirectPlan plan(exec, Matrix(), {.refinement_steps = 1});
  plan.update_values(exec, Matrix());
  const Kokkos::View<S*, Gpu> x;
  plan.apply(exec, x, x);
}

template void factors<double>(const Gpu&);
template void factors<Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
