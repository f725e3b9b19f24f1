// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/team_sums.hpp"
#include "inner_products_kernel.hpp"
#include "stream_kernel.hpp"

/// The kernels of operations on vectors, which others declare.

#include "instantiate.hpp"  // behind what it makes
