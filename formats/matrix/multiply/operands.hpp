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

/// Calls use(factor(k), first, last) for each entry k of the row of A, in their order, by all lanes
/// together: [first, last) is the row of B that it meets. In a long row lanes look up as many
/// entries side by side as they are, since one is three loads behind each other; handing them on
/// costs more than that where rows are short.
template <class Subwarp, Ordinal O, Offset OffA, Offset OffB, class FactorOf, class Use>
KOKKOS_FORCEINLINE_FUNCTION void each_row_of_B(const Subwarp& subwarp,
                                               const PatternOperand<O, OffA>& A,
                                               const PatternOperand<O, OffB>& B, std::int64_t row,
                                               const FactorOf& factor, const Use& use) {
  using Factor = std::remove_cvref_t<decltype(factor(std::int64_t{}))>;
  constexpr std::int64_t few = 8;
  const std::int64_t end = A.end(row);
  if (Subwarp::width == 1 || end - A.begin(row) <= few) {
    for (std::int64_t k = A.begin(row); k < end; ++k) {
      const std::int64_t j = A.col_idx[k];
      use(factor(k), B.begin(j), B.end(j));
    }
    return;
  }
  for (std::int64_t begin = A.begin(row); begin < end; begin += Subwarp::width) {
    const std::int64_t k = begin + subwarp.lane();
    std::int64_t first = 0, last = 0;
    Factor a(0);
    if (k < end) {
      const std::int64_t j = A.col_idx[k];
      first = B.begin(j);
      last = B.end(j);
      a = factor(k);
    }
    const int count = end - begin < Subwarp::width ? static_cast<int>(end - begin) : Subwarp::width;
    for (int lane = 0; lane < count; ++lane) {
      use(subwarp.shuffle(a, lane), subwarp.shuffle(first, lane), subwarp.shuffle(last, lane));
    }
  }
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
