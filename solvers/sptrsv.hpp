// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sptrsv/plan.hpp"
#include "sptrsv/without_plan.hpp"

/// Sparse triangular solves: SptrsvPlan for triangles that are solved with more than a few times,
/// sptrsv() for others.
