// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/matrix.hpp"

namespace heddle::detail::slots {

/// Fills the slots of an ell::View from CSR, an item a slot: the values, and with Columns the
/// columns too. As many items as there are slots; what a row has beyond its slots is left out.
template <class Matrix, bool Columns>
struct FillKernel {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Off* row_ptr;
  const O* from_columns;
  const S* from_values;
  std::int64_t rows;
  std::int64_t stride;
  O* col_idx;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    const std::int64_t row = at % stride;
    const Off begin = row < rows ? row_ptr[row] : Off(0);
    const Off end = row < rows ? row_ptr[row + 1] : Off(0);
    const Off k = begin + static_cast<Off>(at / stride);
    if (Columns) col_idx[at] = k < end ? from_columns[k] : O(-1);
    values[at] = k < end ? from_values[k] : S(0);
  }
};

}  // namespace heddle::detail::slots
