// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/team_sums/workspace_memory.hpp"
#include "csr/apply_without_plan.hpp"
#include "instantiate.hpp"
#include "plan/core_definitions.hpp"
#include "plan/rank.hpp"

/// What plans, whatever their formats, and products without a plan are made of: the definitions of
/// what instantiate.hpp names.
