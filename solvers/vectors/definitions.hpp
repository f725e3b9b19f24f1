// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/common/team_sums/workspace_memory.hpp"
#include "combinations_kernel.hpp"
#include "inner_products_kernel.hpp"
#include "stream_kernel.hpp"

/// The kernels of operations on vectors, which others declare.

#include "instantiate.hpp"  // behind what it makes
