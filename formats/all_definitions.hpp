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

/// All that a SpmvPlan of DefaultFormats is made of, for sources whose types the compiled part does
/// not have: what HEDDLE_DEFINITIONS asks for, also where spmv.hpp was read before.
