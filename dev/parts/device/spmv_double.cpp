// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

namespace heddle {

template void every_plan<double>(const Gpu&);
#ifndef HEDDLE_FULL
template void plan_of_narrow_indices<double>(const Gpu&);
#endif

}  // namespace heddle
