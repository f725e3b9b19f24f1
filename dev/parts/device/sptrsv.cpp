// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of the triangular solve, for the scalar of one word and the one of two, and for
// vectors wider than the matrix.
#include <heddle/sptrsv.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template <Scalar S, Scalar V>
void solve(const Gpu& exec) {
  using Matrix = CsrMatrix<S, int, int, Gpu::memory_space>;
  SptrsvPlan<Gpu, Matrix, V> plan(exec, Matrix(), {.ops = {Op::transpose}});
  const Kokkos::View<V*, Gpu> x;
  plan.apply(exec, V(1), x, x);
  plan.update_values(exec, Matrix());
  plan.features(exec);
  const SptrsvWorkspace<Gpu, V> workspace(exec, 0);
  sptrsv(exec, V(1), Matrix(), x, x, workspace);
}

template void solve<double, double>(const Gpu&);
template void solve<Kokkos::complex<double>, Kokkos::complex<double>>(const Gpu&);
template void solve<float, double>(const Gpu&);

}  // namespace heddle
