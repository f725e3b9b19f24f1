// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench sptrsv`: triangular solves, of every scheme and baseline.
Operation sptrsv_operation();

}  // namespace heddle::bench
