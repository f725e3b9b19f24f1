// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vectors/combinations.hpp"
#include "vectors/dots.hpp"
#include "vectors/inner_products.hpp"
#include "vectors/updates.hpp"

/// What solvers do between products: updates, dots, norms, and products of tall and skinny
/// matrices.
