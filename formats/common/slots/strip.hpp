// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/pack_ordinals.hpp"
#include "../../../core/types.hpp"

namespace heddle::detail::slots {

/// What stands for the column of a slot without an entry, where columns are 16-bit distances.
inline constexpr std::uint16_t no_delta = backends::no_distance;

/// Rows that lie side by side, all with the same number of slots: a matrix in ELL, or a slice of
/// blocked ELL. Slot j of row i lies at j * stride + i. A slot without an entry has column -1, or
/// no_delta, and comes behind those of its row.
template <Scalar S, Ordinal O, class Column, class Stride>
struct Strip {
  using scalar_type = S;
  using ordinal_type = O;
  using column_type = Column;
  /// Whether columns are 16-bit distances from `base`.
  static constexpr bool narrow = !std::is_same_v<Column, O>;

  const S* values;
  const Column* columns;
  Stride stride;
  O base = O(0);

  /// The same from a row on.
  KOKKOS_FORCEINLINE_FUNCTION Strip from(std::int64_t row) const {
    return {values + row, columns + row, stride, base};
  }
};

}  // namespace heddle::detail::slots
