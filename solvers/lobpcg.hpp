// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lobpcg/solver.hpp"

/// Eigenpairs at an end of the spectrum: LobpcgSolver.
