// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pivots.hpp"
#include "updates.hpp"

namespace heddle::detail::ilu {

/// Incomplete factors in one array, L and U side by side in each row, or L alone, and what makes
/// their rows, as kernels see it.
template <Scalar S, Ordinal O, Offset Off>
struct Factors {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  const Off* row_ptr;
  const O* col_idx;
  const Off* diagonal;  ///< the place of each row's
  const S* others;      ///< values of the rows that a row needs; mostly `values`
  S* values;
  Pivots<S> pivots;
  Updates updates;

  KOKKOS_FORCEINLINE_FUNCTION S* row(O i) const { return values + row_ptr[i]; }
  KOKKOS_FORCEINLINE_FUNCTION O size(O i) const {
    return static_cast<O>(row_ptr[i + 1] - row_ptr[i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> lower(O i) const {
    return part(row_ptr[i], diagonal[i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> upper(O i) const {
    return part(diagonal[i] + 1, row_ptr[i + 1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION S pivot(O i) const { return others[diagonal[i]]; }

  /// visit(p, q) for each entry p of row i, of first, ..., stop - 1, and q of `other` in the same
  /// column.
  template <class Lanes, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_common(const Lanes& lanes, O i, O first, O stop,
                                               const RowPart<S, O>& other,
                                               const Visit& visit) const {
    ilu::each_common(lanes, col_idx + row_ptr[i], first, stop, other.columns, other.size, visit);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> part(Off begin, Off end) const {
    return {col_idx + begin, others + begin, static_cast<O>(end - begin)};
  }
};

}  // namespace heddle::detail::ilu
