// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench gs`: sweeps of Gauss-Seidel, of every scheme and baseline.
Operation gs_operation();

}  // namespace heddle::bench
