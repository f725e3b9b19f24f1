// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench features`: what Heddle knows of a matrix before it chooses a scheme.
Operation features_operation();

}  // namespace heddle::bench
