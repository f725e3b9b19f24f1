// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"

namespace heddle::detail {

/// A CSR matrix as kernels read it.
template <Scalar S, Ordinal O, Offset Off>
struct CsrView {
  const Off* row_ptr;
  const O* col_idx;
  const S* values;

  /// The diagonal entry of a row, in D: the sum of its duplicates, or zero if the row has none.
  template <Scalar D = S>
  KOKKOS_FORCEINLINE_FUNCTION D diagonal(std::int64_t row) const {
    D sum(0);
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      if (static_cast<std::int64_t>(col_idx[k]) == row) sum += D(values[k]);
    }
    return sum;
  }
};

template <class Matrix>
using CsrViewOf = CsrView<typename Matrix::scalar_type, typename Matrix::ordinal_type,
                          typename Matrix::offset_type>;

template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
CsrView<S, O, Off> csr_view(const CsrMatrix<S, O, Off, Space>& A) {
  return {A.row_ptr().data(), A.col_idx().data(), A.values().data()};
}

}  // namespace heddle::detail
