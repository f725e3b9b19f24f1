// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/memory.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::coo {

/// A matrix in COO as kernels see it, its nonzeros in the order of the rows. The row of nonzero k
/// is local_row[k] rows below the first row of its share (EqualWork).
template <Scalar S, Ordinal O, Offset Off, class LocalRow>
struct View {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using local_row_type = LocalRow;

  const LocalRow* local_row;
  const O* col_idx;
  const S* values;

  /// This matrix from its k-th nonzero on.
  KOKKOS_FORCEINLINE_FUNCTION View from(Off k) const {
    return {local_row + k, col_idx + k, values + k};
  }

  /// A coalesced load of an entry that no lane reads again; zero unless `wanted`.
  KOKKOS_FORCEINLINE_FUNCTION S value_once(Off k, bool wanted) const {
    return backends::load_once(values + k, wanted);
  }
  KOKKOS_FORCEINLINE_FUNCTION O column_once(Off k, bool wanted) const {
    return backends::load_once(col_idx + k, wanted);
  }
};

}  // namespace heddle::detail::coo
