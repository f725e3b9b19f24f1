// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gauss_seidel/plan.hpp"

/// Gauss-Seidel, SOR and SSOR: GaussSeidelPlan.
