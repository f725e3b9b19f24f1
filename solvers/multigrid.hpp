// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "multigrid/bounds.hpp"
#include "multigrid/plan.hpp"
#include "multigrid/rigid_bodies.hpp"

/// Multigrid by smoothed aggregation: MultigridPlan, and rigid_body_motions of elastic bodies;
/// spectrum_bounds, which its smoothers take, for Chebyshev's polynomials elsewhere.
