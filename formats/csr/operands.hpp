// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"
#include "../common/product.hpp"

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

/// Arguments of a CSR kernel: a View and a Product, with all members in one flat struct. nvcc 13
/// takes the address of a struct with base classes, and csr/subwarp then took 1.05 to 1.36 times as
/// long on an H200.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct CsrOperands {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using vector_type = V;
  using accumulator_type = Acc;

  O rows;
  bool conjugate;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  Acc alpha;
  Acc beta;
  Multivector<const V> x;
  Multivector<V> y;

  KOKKOS_FORCEINLINE_FUNCTION S value(Off k) const { return multiplied(values[k], conjugate); }
  KOKKOS_FORCEINLINE_FUNCTION O column(Off k) const { return col_idx[k]; }

  /// The value or column of nonzero k, for coalesced loads that no lane repeats; zero if not
  /// wanted.
  KOKKOS_FORCEINLINE_FUNCTION S value_once(Off k, bool wanted) const {
    return multiplied(backends::load_once(values + k, wanted), conjugate);
  }
  KOKKOS_FORCEINLINE_FUNCTION O column_once(Off k, bool wanted) const {
    return backends::load_once(col_idx + k, wanted);
  }

  /// The operands with nonzeros counted from the k-th.
  KOKKOS_FORCEINLINE_FUNCTION CsrOperands from(Off k) const {
    CsrOperands later = *this;
    later.col_idx += k;
    later.values += k;
    return later;
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector) const {
    return Acc(value) * Acc(x(column, vector));
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector, bool wanted) const {
    return Acc(value) * Acc(backends::load(&x(column, vector), wanted));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(O row, int vector, Acc sum) const {
    store_sum(*this, row, vector, sum);
  }
};

template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
CsrOperands<S, O, Off, V, Acc> operands_of(const View<S, O, Off>& A,
                                           const Product<V, Acc>& product) {
  return {A.rows,        product.conjugate, A.row_ptr, A.col_idx, A.values,
          product.alpha, product.beta,      product.x, product.y};
}

}  // namespace heddle::detail::csr
