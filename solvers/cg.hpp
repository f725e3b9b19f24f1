// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/cg.hpp"
#include "krylov/jacobi.hpp"
#include "krylov/with_rows.hpp"

/// Conjugate gradients: CgSolver, and with_rows.
