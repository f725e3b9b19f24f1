// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/instantiate_bicgstab.hpp"
#include "krylov/instantiate_jacobi.hpp"

/// BiCGStab, for any matrix: BicgstabSolver.
