// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/chebyshev.hpp"
#include "krylov/polynomial.hpp"
#include "krylov/spectrum.hpp"

/// Chebyshev's iteration: ChebyshevSolver, and as a preconditioner ChebyshevPlan, which keeps
/// values of its own, or ChebyshevPreconditioner, which borrows them; spectrum_bounds finds their
/// bounds.
