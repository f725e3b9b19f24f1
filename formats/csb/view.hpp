// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail::csb {

/// A matrix in CSB as kernels see it. Block b is in block row block_row[b] and block column
/// block_column[b], and has the entries list_ptr[b] .. list_ptr[b + 1]. Blocks are ordered by block
/// row, then by block column.
template <Scalar S, Ordinal O, Offset Off>
struct View {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  O rows;
  O columns;
  int beta;
  const Off* list_ptr;
  const O* block_row;
  const O* block_column;
  const std::uint16_t* local_row;
  const std::uint16_t* local_column;
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION bool on_diagonal(std::int64_t block) const {
    return block_row[block] == block_column[block];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t entries(std::int64_t block) const {
    return static_cast<std::int64_t>(list_ptr[block + 1] - list_ptr[block]);
  }
};

/// The work of one team: entries [begin, end) of one panel, counted in the order of a sweep.
template <Ordinal O, Offset Off>
struct PanelPiece {
  O panel;
  Off first_place;  ///< place of the block with entry `begin`
  Off begin;
  Off end;
  std::int64_t partial;  ///< index of its partial sums; -1 if it has the whole panel, and stores y
};

/// An order of all blocks, by panels: block rows, or block columns.
template <Ordinal O, Offset Off>
struct Sweep {
  std::int64_t panels;
  const Off* order;  ///< the block at each place; null by block rows: the stored order
  const Off* start;  ///< entries before each place, and all entries
  std::int64_t piece_count;
  const PanelPiece<O, Off>* pieces;
  std::int64_t partials;
  const std::int64_t* partial_ptr;  ///< of length panels + 1: first partial sum of each panel
};

}  // namespace heddle::detail::csb
