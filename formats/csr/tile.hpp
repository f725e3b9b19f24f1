// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/unroll.hpp>
#include <heddle/formats/csr/tiles.hpp>

namespace heddle::csr {

/// A tile is read from a multiple of this many nonzeros, so that a subwarp's loads fill whole cache
/// lines, and no line is fetched for two subwarps.
inline constexpr int tile_alignment = 32;

/// A tile as a team of a GPU sees it: nonzeros [origin + begin, origin + end) of rows [first_row,
/// first_row + rows), of which the first `ended` end in the tile, and another may go on beyond it.
/// If `chain` is not -1, the first began in that tile and ends in this one.
template <Ordinal O, Offset Off>
struct Tile {
  int index;
  Off origin;
  int begin;
  int end;
  O first_row;
  int rows;
  int ended;
  int chain;

  template <class Table>
  KOKKOS_FORCEINLINE_FUNCTION static Tile at(const Table& table, std::int64_t t) {
    const TileEdge<O, Off> from = table.edges[t];
    const TileEdge<O, Off> to = table.edges[t + 1];
    Tile tile;
    tile.index = static_cast<int>(t);
    tile.begin = static_cast<int>(from.nonzero % tile_alignment);
    tile.origin = from.nonzero - static_cast<Off>(tile.begin);
    tile.end = static_cast<int>(to.nonzero - tile.origin);
    tile.first_row = from.row;
    tile.ended = static_cast<int>(to.row - from.row);
    tile.rows = tile.ended + (to.chain >= 0 ? 1 : 0);
    tile.chain = tile.ended > 0 ? from.chain : -1;
    return tile;
  }

  /// Loads the nonzeros from the origin on that fall to one of so many threads: every Threads-th,
  /// zeros beyond the end. Returns how many there are.
  template <int Threads, class Operands, class S, int Items>
  KOKKOS_FORCEINLINE_FUNCTION int load(const Operands& operands, int thread, S (&value)[Items],
                                       O (&column)[Items]) const {
    const int items = (end - thread + Threads - 1) / Threads;
    const auto nonzeros = operands.from(origin + static_cast<Off>(thread));
    HEDDLE_UNROLL(Items)
    for (int i = 0; i < Items; ++i) {
      column[i] = nonzeros.column_once(i * Threads, i < items);
      value[i] = nonzeros.value_once(i * Threads, i < items);
    }
    return items;
  }

  /// Whether the row began in another tile and ends in this one.
  KOKKOS_FORCEINLINE_FUNCTION bool finishes(int row) const { return row == 0 && chain >= 0; }

  /// Where the nonzeros of a row of the tile lie, from the origin; nowhere for a row beyond the
  /// last.
  KOKKOS_FORCEINLINE_FUNCTION void bounds(const Off* row_ptr, int row, int& from, int& to) const {
    from = to = 0;
    if (row >= rows) return;
    from = begin;
    to = end;
    const Off row_begin = row_ptr[first_row + row];
    const Off row_end = row_ptr[first_row + row + 1];
    if (row_begin > origin + static_cast<Off>(from)) from = static_cast<int>(row_begin - origin);
    if (row_end < origin + static_cast<Off>(to)) to = static_cast<int>(row_end - origin);
  }
};

}  // namespace heddle::csr
