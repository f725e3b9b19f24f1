// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

namespace heddle {

template void plan_of_narrow_indices<float>(const Gpu&);
template void plan_of_wider<float, float, double>(const Gpu&);
#ifdef HEDDLE_FULL
template void plan_of_wider<float, double, double>(const Gpu&);
#endif

}  // namespace heddle
