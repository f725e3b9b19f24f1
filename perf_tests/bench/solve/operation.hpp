// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench solve`: whole solves by a Krylov method, of every preconditioner and baseline.
Operation solve_operation();

}  // namespace heddle::bench
