// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/instantiate_gmres.hpp"
#include "krylov/instantiate_jacobi.hpp"

/// GMRES(m), for any matrix: GmresSolver.
