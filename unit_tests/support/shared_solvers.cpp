// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors and sweeps on emulated devices.
#include "../../solvers/gauss_seidel/definitions.hpp"
#include "../../solvers/ilu/definitions.hpp"
#include "shared_factors.hpp"
#include "shared_sweeps.hpp"

HEDDLE_SHARED_FACTORS()
HEDDLE_SHARED_SWEEPS()
