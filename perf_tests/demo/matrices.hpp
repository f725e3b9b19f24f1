// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays.hpp"

namespace demo {

/// An elastic body: a grid of side^3 nodes with three displacements each, coupled with those of all
/// 27 nodes around it, so that every entry is in a block of 3 x 3.
Rows elastic_body(const Exec& exec, int side);

/// A network: rows of 2 to 6 entries, and one row of 4096 with 8192 entries. The long rows are
/// first, as after sorting the nodes by their degree.
Rows network(const Exec& exec, int rows);

/// Heat in a plate of layers that conduct up to 1000 times as well as others: a grid of side^2
/// points, 5 entries a row, symmetric and positive definite.
Rows heat(const Exec& exec, int side);

}  // namespace demo
