// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid on emulated devices.
#include "shared_multigrid.hpp"

#include "../../solvers/multigrid/definitions.hpp"

HEDDLE_SHARED_MULTIGRID()
