// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of emulated devices.
#include "shared_factors.hpp"
#include "shared_sweeps.hpp"

HEDDLE_SHARED_FACTORS()
HEDDLE_SHARED_SWEEPS()
