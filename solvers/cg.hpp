// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/instantiate_cg.hpp"
#include "krylov/instantiate_jacobi.hpp"
#include "krylov/with_rows.hpp"

/// Conjugate gradients: CgSolver, and with_rows.
