// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of Gauss-Seidel's sweeps, of numbers and of blocks, for the scalar of one word and
// the one of two.
#include <heddle/gauss_seidel.hpp>

namespace heddle {

using Gpu = Kokkos::HIP;

template <Scalar S>
void sweep(const Gpu& exec) {
  using Matrix = CsrMatrix<S, int, int, Gpu::memory_space>;
  GaussSeidelPlan plan(exec, Matrix(), {}, Formats<CsrFormat>());
  const Kokkos::View<S*, Gpu> x;
  plan.apply(exec, x, x);
  plan.relax(exec, x, x, 2, x);
  plan.update_values(exec, Matrix());
}

template void sweep<double>(const Gpu&);
template void sweep<Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
