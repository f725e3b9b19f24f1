// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench sgd`: epochs of matrix factorization by every schedule, beside a plain loop.
Operation sgd_operation();

}  // namespace heddle::bench
