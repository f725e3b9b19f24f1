// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors, sweeps and triangular solves on emulated devices.
#include "../../solvers/gauss_seidel/definitions.hpp"
#include "../../solvers/ilu/definitions.hpp"
#include "../../solvers/sptrsv/definitions.hpp"
#include "shared_factors.hpp"
#include "shared_sweeps.hpp"
#include "shared_triangles.hpp"

HEDDLE_SHARED_FACTORS()
HEDDLE_SHARED_SWEEPS()
HEDDLE_SHARED_TRIANGLES()
