// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail::triangle {

/// A triangle in the order that it is solved in, as kernels see it. The entries off the diagonal of
/// the row at place p are row_ptr[p] to row_ptr[p + 1].
template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct View {
  std::int64_t rows;
  const Off* row_ptr;
  const O* needed;  ///< what an entry is multiplied by: a place, or a row of x
  const S* values;
  const D* diagonal;    ///< of each place; null for a unit diagonal
  const D* reciprocal;  ///< of the diagonal; zero where that is no normal number
  const O* row;         ///< of the matrix, of each place
};

}  // namespace heddle::detail::triangle
