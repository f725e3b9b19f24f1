// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/matrix.hpp"

namespace heddle::detail::matrix_product {

/// A matrix as the kernels of a product read it: plain pointers. Without values a pattern; without
/// a row pointer none at all.
template <Ordinal O, Offset Off>
struct PatternOperand {
  const Off* row_ptr = nullptr;
  const O* col_idx = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t row) const {
    return static_cast<std::int64_t>(row_ptr[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end(std::int64_t row) const {
    return static_cast<std::int64_t>(row_ptr[row + 1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t length(std::int64_t row) const {
    return row_ptr ? end(row) - begin(row) : 0;
  }
};

template <Scalar S, Ordinal O, Offset Off>
struct Operand : PatternOperand<O, Off> {
  const S* values = nullptr;
};

template <Ordinal O, Offset Off, MemorySpace Space>
PatternOperand<O, Off> pattern_operand(const CsrPattern<O, Off, Space>& A) {
  return {A.row_ptr().data(), A.col_idx().data()};
}
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
Operand<S, O, Off> operand(const CsrMatrix<S, O, Off, Space>& A) {
  return {{A.row_ptr().data(), A.col_idx().data()}, A.values().data()};
}

/// C = A B on a pattern that holds that of D, which may be none.
template <Ordinal O, Offset OffA, Offset OffB>
struct Patterns {
  PatternOperand<O, OffA> A;
  PatternOperand<O, OffB> B;
  PatternOperand<O, OffA> D;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries_of_A = 0;
};

}  // namespace heddle::detail::matrix_product
