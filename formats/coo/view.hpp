// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/memory.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::coo {

/// A matrix in COO as kernels see it, its nonzeros in the order of the rows. Nonzero k lies
/// local_row[k] rows below the first row of the share that it falls to (EqualWork).
template <Scalar S, Ordinal O, Offset Off, class LocalRow>
struct View {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using local_row_type = LocalRow;

  const LocalRow* local_row;
  const O* col_idx;
  const S* values;

  /// The same matrix, its nonzeros counted from the k-th.
  KOKKOS_FORCEINLINE_FUNCTION View from(Off k) const {
    return {local_row + k, col_idx + k, values + k};
  }

  /// Where neighbouring lanes read neighbouring nonzeros, and none reads them again; zero if not
  /// wanted.
  KOKKOS_FORCEINLINE_FUNCTION S value_once(Off k, bool wanted) const {
    return backends::load_once(values + k, wanted);
  }
  KOKKOS_FORCEINLINE_FUNCTION O column_once(Off k, bool wanted) const {
    return backends::load_once(col_idx + k, wanted);
  }
};

}  // namespace heddle::detail::coo
