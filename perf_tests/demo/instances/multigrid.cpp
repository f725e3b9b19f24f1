// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../few_multigrid.hpp"

DEMO_MULTIGRID()
