// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail::bcsr {

/// The size of a block: known at compile time, or (0 x 0) at run time.
template <int Rows, int Columns>
struct BlockSize {
  static constexpr bool known = true;
  static constexpr int most_rows = Rows;
  KOKKOS_FORCEINLINE_FUNCTION constexpr int rows() const { return Rows; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int columns() const { return Columns; }
};
template <>
struct BlockSize<0, 0> {
  static constexpr bool known = false;
  static constexpr int most_rows = 8;
  int row_count;
  int column_count;
  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return row_count; }
  KOKKOS_FORCEINLINE_FUNCTION int columns() const { return column_count; }
};

/// A part of a block row that is cut: its sums go to carry-outs, one for each row of a block.
/// `carry` is -1 for a whole block row.
template <Ordinal O>
struct BlockRowPiece {
  O block_row;
  O carry;
};

/// A matrix in BCSR as kernels see it. Block row b has the blocks block_ptr[b] .. block_ptr[b + 1];
/// block k begins at column block_col[k] times the columns of a block. Blocks are stored column by
/// column, so that a block row is one dense panel, column-major. A place without an entry is a hole
/// (backends::is_hole), also beyond the edges of the matrix. A pack of values past the end of the
/// last block may be read.
///
/// Kernels work on pieces; piece p has the blocks piece_ptr[p] .. piece_ptr[p + 1]. If no block row
/// is cut, `piece` is null and the pieces are the block rows.
template <Scalar S, Ordinal O, Offset Off, class Size>
struct View {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  Size size;
  O rows;
  O block_rows;
  Off blocks;
  const Off* block_ptr;
  const O* block_col;
  const S* values;
  std::int64_t pieces;
  const Off* piece_ptr;
  const BlockRowPiece<O>* piece;

  /// The first value of the panel whose first block is `block`.
  KOKKOS_FORCEINLINE_FUNCTION const S* values_from(Off block) const {
    return values + static_cast<std::int64_t>(block) * (size.rows() * size.columns());
  }
};

}  // namespace heddle::detail::bcsr
