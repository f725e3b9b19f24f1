// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "direct/sparse_plan.hpp"

/// Sparse direct solutions by CHOLMOD, UMFPACK and KLU of SuiteSparse, on the host:
/// SparseDirectPlan. Programs link Heddle::direct.
