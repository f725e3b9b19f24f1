// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../operation.hpp"

namespace heddle::bench {

/// `heddle-bench multigrid`: set-up, new values and cycles of multigrid, and what each level costs.
Operation multigrid_operation();

}  // namespace heddle::bench
