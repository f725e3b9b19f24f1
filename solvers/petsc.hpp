// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "petsc/operator.hpp"
#include "petsc/preconditioner.hpp"
#include "petsc/shell.hpp"

/// Heddle inside programs that use PETSc: a MATSHELL that multiplies by Heddle's plans, a PC of
/// type "heddle", and matrices of PETSc as operators of Heddle's solvers.
