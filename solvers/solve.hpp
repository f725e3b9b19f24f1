// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "solve/solver.hpp"

/// A x = b by a method and a preconditioner that are chosen for A: solve, Solver, SolveReport.
