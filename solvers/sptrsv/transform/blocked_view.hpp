// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../../core/types.hpp"
#include "merging.hpp"

namespace heddle::detail::sptrsv {

/// A group of rows, as kernels see it.
struct Group {
  std::int64_t first;        ///< place
  std::int64_t first_block;  ///< where its dense block begins, if rows need each other
  std::uint32_t awaited;     ///< a bit a row: whether rows of other groups need it
  std::int32_t rows;
  bool coupled;            ///< rows need each other
  bool one_piece_per_row;  ///< no row has more pieces than one: piece i is of row i
};

/// Where column j of a dense lower block of `rows` rows begins, less j: the entry in row i >= j is
/// there + i. Columns follow each other, without their zeros.
KOKKOS_FORCEINLINE_FUNCTION constexpr int block_column(int j, int rows) {
  return j * rows - j * (j + 1) / 2;
}
/// Entries of such a block.
KOKKOS_FORCEINLINE_FUNCTION constexpr int block_size(int rows) { return rows * (rows + 1) / 2; }
inline constexpr int most_block = block_size(most_rows);

/// A triangle in groups. What a row needs of other groups is cut into *pieces* of `piece` entries,
/// the last filled up with entries of the place `nowhere`; what it needs of its group is in the
/// group's dense block; a group whose rows need nothing of each other has none.
///
/// Pieces of a place p are first_piece[p] to first_piece[p + 1]; a group's pieces stand in chunks
/// of 32, whose lanes read side by side: entry e of piece i of a chunk that has c pieces and begins
/// with piece f is entry f * piece + e * c + i.
template <Scalar S, Ordinal O, Scalar Acc>
struct BlockedView {
  static constexpr O nowhere = O(-1);

  const Group* groups;
  const std::int64_t* first_piece;  ///< of each place, and the end
  const O* needed;                  ///< the place of each entry of a piece
  const S* values;                  ///< zero where there is none
  /// Of each group, by columns: see block_column. Where `inverted` is not null, the inverse
  /// follows.
  const Acc* blocks;
  const std::uint32_t* inside;  ///< of each place: a bit a row of its group that it needs
  /// Of each group: whether its inverse is there and may be used. Null where none is.
  const std::uint8_t* inverted;
};

}  // namespace heddle::detail::sptrsv
