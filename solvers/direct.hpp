// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "direct/plan.hpp"

/// Solutions by an LU factorization with row pivots, dense or banded: DirectPlan.
