// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

template void heddle::plan_of_narrow_indices<Kokkos::complex<float>>(const heddle::Gpu&);
template void heddle::wider_plans<Kokkos::complex<float>, Kokkos::complex<double>>(
    const heddle::Gpu&);
