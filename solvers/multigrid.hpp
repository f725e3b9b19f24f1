// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "multigrid/plan.hpp"

/// Multigrid by smoothed aggregation: MultigridPlan.
