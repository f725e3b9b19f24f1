// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/bicgstab.hpp"
#include "krylov/jacobi.hpp"

/// BiCGStab, for any matrix: BicgstabSolver.
