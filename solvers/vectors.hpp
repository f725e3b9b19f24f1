// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vectors/operations.hpp"

/// Vector operations of iterative solvers: updates, dots, norms, and products of tall and skinny
/// matrices.
