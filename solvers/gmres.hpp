// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/gmres.hpp"
#include "krylov/jacobi.hpp"

/// GMRES(m), for any matrix: GmresSolver.
