// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"
#include "../common/row_bits.hpp"

namespace heddle::detail::gcsr {

/// A matrix in generalized CSR as kernels see it: CSR of the rows that have entries, `rows` of
/// them. The r-th is row row_number[r] of the matrix, which has `all_rows`.
template <Scalar S, Ordinal O, Offset Off>
struct View {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  O all_rows;
  O rows;
  const O* row_number;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  RowBits has_entries;  ///< of all rows
};

}  // namespace heddle::detail::gcsr
