// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail::dia {

/// A matrix in DIA as kernels see it. Diagonal d holds the entries of column row + offsets[d], that
/// of row i at d * stride + i; offsets ascend. A place without an entry is a hole
/// (backends::is_hole), and so are the rows from `rows` to `stride`.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  O rows;
  std::int64_t stride;
  int diagonals;
  const O* offsets;
  const S* values;
};

}  // namespace heddle::detail::dia
