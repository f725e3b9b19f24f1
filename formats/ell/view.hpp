// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/slots/strip.hpp"

namespace heddle::detail::ell {

/// A matrix in ELL as kernels see it. Every row has `width` slots, and slot j of row i lies at
/// j * stride + i, so that neighbouring rows lie side by side. A slot without an entry has column
/// -1 and comes behind the row's entries; the rows from `rows` to `stride` have no entries.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  O rows;
  std::int64_t stride;
  int width;
  const O* col_idx;
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION slots::Strip<S, O, O, std::int64_t> strip() const {
    return {values, col_idx, stride};
  }
};

}  // namespace heddle::detail::ell
