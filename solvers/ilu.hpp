// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ilu/plan.hpp"

/// Incomplete factors as preconditioners: IluPlan, IcPlan.
