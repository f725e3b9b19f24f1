// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "krylov/single_precision.hpp"

/// SinglePrecision: any preconditioner in single precision under a solver in double.
