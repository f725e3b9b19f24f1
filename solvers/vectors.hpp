// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vectors/instantiate.hpp"

/// What solvers do between products: updates, dots, norms, and products of tall and skinny
/// matrices.
