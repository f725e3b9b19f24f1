// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/memory.hpp>
#include <heddle/core/matrix.hpp>
#include <heddle/formats/vectors.hpp>

namespace heddle::csr {

/// What a CSR kernel reads and writes, in plain pointers: y = alpha * A * x + beta * y, sums kept
/// in the accumulator type. Small, because it travels with every launch.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct Operands {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using accumulator_type = Acc;
  using vector_type = V;

  O rows;
  bool conjugate;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  Acc alpha;
  Acc beta;
  Columns<const V> x;
  Columns<V> y;

  KOKKOS_FORCEINLINE_FUNCTION S value(Off k) const { return conjugated(values[k]); }
  KOKKOS_FORCEINLINE_FUNCTION O column(Off k) const { return col_idx[k]; }

  /// The same where neighbouring lanes read neighbouring entries, and none reads them again; zero
  /// if not wanted.
  KOKKOS_FORCEINLINE_FUNCTION S value_once(Off k, bool wanted) const {
    return conjugated(backends::load_once(values + k, wanted));
  }
  KOKKOS_FORCEINLINE_FUNCTION O column_once(Off k, bool wanted) const {
    return backends::load_once(col_idx + k, wanted);
  }

  /// The same matrix, its nonzeros counted from the k-th.
  KOKKOS_FORCEINLINE_FUNCTION Operands from(Off k) const {
    Operands later = *this;
    later.col_idx += k;
    later.values += k;
    return later;
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int c) const {
    return Acc(value) * Acc(x(column, c));
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int c, bool wanted) const {
    return Acc(value) * Acc(backends::load(&x(column, c), wanted));
  }

  /// y(row, c) from the row's sum; beta == 0 never reads y.
  KOKKOS_FORCEINLINE_FUNCTION void store(O row, int c, Acc sum) const {
    V& place = y(row, c);
    place = V(beta == Acc(0) ? alpha * sum : alpha * sum + beta * Acc(place));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION S conjugated(const S& entry) const {
    if constexpr (is_complex<S>) {
      return conjugate ? heddle::conjugate(entry) : entry;
    } else {
      return entry;
    }
  }
};

template <Scalar V, Scalar Acc, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
Operands<S, O, Off, V, Acc> make_operands(const CsrMatrix<S, O, Off, Space>& A, bool conjugate,
                                          Acc alpha, const Columns<const V>& x, Acc beta,
                                          const Columns<V>& y) {
  return {
      A.rows(), conjugate, A.row_ptr().data(), A.col_idx().data(), A.values().data(), alpha, beta,
      x,        y};
}

/// Calls pass(operands) for at most `most` columns of x and y at a time, about as many each time.
template <class Operands, class Pass>
void each_pass(const Operands& operands, int most, const Pass& pass) {
  const int passes = (operands.x.count + most - 1) / most;
  for (int i = 0, first = 0; i < passes; ++i) {
    const int columns = (operands.x.count - first) / (passes - i);
    Operands part = operands;
    part.x = operands.x.slice(first, columns);
    part.y = operands.y.slice(first, columns);
    pass(part);
    first += columns;
  }
}

}  // namespace heddle::csr
