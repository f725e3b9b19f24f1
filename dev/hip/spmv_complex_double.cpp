// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

template void heddle::every_plan<Kokkos::complex<double>>(const heddle::Gpu&);
