// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench device`: what this machine can do at best.
Operation device_operation();

}  // namespace heddle::bench
