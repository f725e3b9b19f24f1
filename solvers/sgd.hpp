// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sgd/plan.hpp"
#include "sgd/read_ratings.hpp"

/// Matrix factorization by stochastic gradient descent: SgdPlan, read_ratings.
