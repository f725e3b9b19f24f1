// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench multiply`: products of matrices, beside those of other libraries.
Operation multiply_operation();

}  // namespace heddle::bench
