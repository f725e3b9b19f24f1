// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

template void heddle::plan_of_narrow_indices<float>(const heddle::Gpu&);
template void heddle::wider_plans<float, double>(const heddle::Gpu&);
