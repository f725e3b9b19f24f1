// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/jacobi.hpp"
#include "krylov/minres.hpp"

/// MINRES, for a symmetric matrix, indefinite or singular: MinresSolver.
