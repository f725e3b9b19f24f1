// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of the triangular solve, for the scalar of one word and the one of two.
#include <heddle/sptrsv.hpp>

namespace heddle {

using Gpu = Kokkos::HIP;

template <Scalar S>
void solve(const Gpu& exec) {
  using Matrix = CsrMatrix<S, int, int, Gpu::memory_space>;
  SptrsvPlan<Gpu, Matrix> plan(exec, Matrix(), {.ops = {Op::transpose}});
  const Kokkos::View<S*, Gpu> x;
  plan.apply(exec, S(1), x, x);
  plan.update_values(exec, Matrix());
  plan.features(exec);
  const SptrsvWorkspace<Gpu, S> workspace(exec, 0);
  sptrsv(exec, S(1), Matrix(), x, x, workspace);
}

template void solve<double>(const Gpu&);
template void solve<Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
