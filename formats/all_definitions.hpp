// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bcsr/inspect.hpp"
#include "blocked_ell/inspect.hpp"
#include "coo/inspect.hpp"
#include "csr/apply_without_plan.hpp"
#include "csr/inspect.hpp"
#include "definitions.hpp"
#include "dia/inspect.hpp"
#include "ell/inspect.hpp"
#include "gcsr/inspect.hpp"
#include "hyb/inspect.hpp"

/// All definitions that a SpmvPlan of DefaultFormats needs, for sources whose types the compiled
/// part does not have: includes what HEDDLE_DEFINITIONS does, even after spmv.hpp.
