// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench vectors`: what solvers do between products, as a share of triad.
Operation vectors_operation();

}  // namespace heddle::bench
