// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench convert`: from CSR to every format, beside the conversions of other libraries.
Operation convert_operation();

}  // namespace heddle::bench
