// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"

namespace heddle::detail::csr {

/// A CSR matrix as kernels see it: plain pointers.
template <Scalar S, Ordinal O, Offset Off>
struct View {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  O rows;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
};

template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
View<S, O, Off> view_of(const CsrMatrix<S, O, Off, Space>& A) {
  return {A.rows(), A.row_ptr().data(), A.col_idx().data(), A.values().data()};
}

}  // namespace heddle::detail::csr
