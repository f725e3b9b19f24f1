// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/team_sums/workspace_memory.hpp"
#include "instantiate.hpp"
#include "plan/core_definitions.hpp"
#include "plan/rank.hpp"

/// What plans are made of, whatever their formats.
