// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "add.hpp"
#include "blocks.hpp"
#include "coordinates.hpp"
#include "galerkin.hpp"
#include "multiply.hpp"
#include "norms.hpp"
#include "rearrange.hpp"
#include "reorder.hpp"
#include "scale.hpp"
#include "select.hpp"

/// Operations on CSR matrices, on all backends: products, transposes, sorting, sums, parts,
/// assembly from triplets, dense blocks, norms. docs/matrices.md
