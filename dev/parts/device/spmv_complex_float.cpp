// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

namespace heddle {

using Float = Kokkos::complex<float>;
using Double = Kokkos::complex<double>;

template void plan_of_wider<Float, Double, Double>(const Gpu&);
#ifdef HEDDLE_FULL
template void plan_of_narrow_indices<Float>(const Gpu&);
template void plan_of_wider<Float, Float, Double>(const Gpu&);
#endif

}  // namespace heddle
