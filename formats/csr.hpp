// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix/add.hpp"
#include "matrix/blocks.hpp"
#include "matrix/coordinates.hpp"
#include "matrix/galerkin.hpp"
#include "matrix/multiply.hpp"
#include "matrix/norms.hpp"
#include "matrix/rearrange.hpp"
#include "matrix/reorder.hpp"
#include "matrix/scale.hpp"
#include "matrix/select.hpp"

/// Operations on CSR matrices, on all backends: products, transposes, sorting, sums, parts,
/// assembly from triplets, dense blocks, norms. docs/matrices.md
