// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sptrsv/plan.hpp"
#include "sptrsv/without_plan.hpp"

/// Sparse triangular solves: SptrsvPlan for more than a few solves with a triangle, sptrsv() for
/// others.
