// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/block_jacobi.hpp"
#include "krylov/cg.hpp"
#include "krylov/jacobi.hpp"

/// Conjugate gradients: CgSolver.
