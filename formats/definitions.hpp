// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../backends/algorithms/team_sums.hpp"
#include "instantiate.hpp"
#include "plan/core_definitions.hpp"
#include "plan/rank.hpp"

/// What plans are made of, whatever their formats.
