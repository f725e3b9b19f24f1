// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench cliffs`: where the time of a plan grows faster than its matrix.
Operation cliffs_operation();

}  // namespace heddle::bench
