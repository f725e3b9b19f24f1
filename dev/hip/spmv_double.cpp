// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

template void heddle::every_plan<double>(const heddle::Gpu&);
