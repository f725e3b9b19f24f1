// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid, for the scalar of one word and the one of two. Its products with vectors are compiled
// by the other files.
#include <heddle/multigrid.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template class detail::MultigridPlanCore<Gpu, CsrMatrix<double, int, int, Gpu::memory_space>>;
template class detail::MultigridPlanCore<
    Gpu, CsrMatrix<Kokkos::complex<double>, int, int, Gpu::memory_space>>;

}  // namespace heddle
