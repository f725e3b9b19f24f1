// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sptrsv/plan.hpp"

/// Sparse triangular solves: SptrsvPlan.
