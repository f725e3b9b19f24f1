// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/spectrum.hpp"
#include "multigrid/plan.hpp"
#include "multigrid/rigid_bodies.hpp"

/// Multigrid by smoothed aggregation: MultigridPlan; rigid_body_motions for elastic bodies;
/// spectrum_bounds for Chebyshev's polynomials.
