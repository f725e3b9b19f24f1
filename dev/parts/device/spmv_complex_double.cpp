// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

namespace heddle {

template void every_plan<Kokkos::complex<double>>(const Gpu&);
#ifndef HEDDLE_FULL
template void plan_for_indices<Kokkos::complex<double>, std::int32_t, std::int64_t>(const Gpu&);
#endif

}  // namespace heddle
