// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench lobpcg`: eigenpairs at an end of the spectrum, judged by residuals computed apart.
Operation lobpcg_operation();

}  // namespace heddle::bench
