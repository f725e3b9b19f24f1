// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../triangle/diagonal_value.hpp"

namespace heddle::detail::gauss_seidel {

/// Omega over a diagonal; zero where that is no normal number, or the reciprocal is none.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION S relaxed_reciprocal(const S& omega, const S& diagonal) {
  const S scaled = omega * triangle::reciprocal_or_zero(diagonal);
  return triangle::reciprocal_or_zero(scaled) == S(0) ? S(0) : scaled;
}

/// One side of a matrix in the order in which a half sweep takes the rows: the row at place p is
/// entries row_ptr[p] to row_ptr[p + 1], of which the last is the diagonal. That one's column is
/// the row of the matrix, and its value relaxed_reciprocal.
template <Scalar S, Ordinal O, Offset Off>
struct RowsView {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const S* diagonal;  ///< of each place

  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t place) const {
    return col_idx[row_ptr[place + 1] - 1];
  }
  /// omega * difference / diagonal, given the relaxed reciprocal of the place.
  KOKKOS_FORCEINLINE_FUNCTION S quotient(const S& difference, const S& reciprocal, const S& omega,
                                         std::int64_t place) const {
    if (reciprocal == S(0)) return omega * (difference / diagonal[place]);
    return difference * reciprocal;
  }
};

}  // namespace heddle::detail::gauss_seidel
