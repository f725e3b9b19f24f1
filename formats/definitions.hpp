// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../backends/algorithms/team_sums.hpp"
#include "instantiate.hpp"
#include "plan/core_definitions.hpp"
#include "plan/rank.hpp"

/// All definitions of plans that do not depend on the formats.
