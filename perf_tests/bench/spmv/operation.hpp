// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench spmv`: products with vectors, of every scheme and baseline.
Operation spmv_operation();

}  // namespace heddle::bench
