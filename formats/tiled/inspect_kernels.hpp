// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/pack_entries.hpp"
#include "../inspect/recipe/fill_lists.hpp"
#include "tile_shape.hpp"
#include "view.hpp"

namespace heddle::detail::tiled {

/// What fill_lists puts first: where each entry lies in its tile.
struct PutCode {
  unsigned char* codes;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, const recipe::Point& point,
                                              std::int64_t) const {
    codes[place] = static_cast<unsigned char>(point.inner_row * tile_size + point.inner_column);
  }
};

/// What it puts in the end, and in update_values alone: the value of each entry.
template <Scalar S, Offset Off>
struct PutValue {
  const Tile* tile;
  const Off* list_ptr;
  const S* from;
  unsigned char* data;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t block, std::int64_t place,
                                              const recipe::Point& point, std::int64_t k) const {
    const Tile to = tile[block];
    S* const values = reinterpret_cast<S*>(data + to.first);
    const auto* const indices = reinterpret_cast<const unsigned char*>(values + to.values());
    S* const value =
        values + value_place(to, indices, place - static_cast<std::int64_t>(list_ptr[block]),
                             static_cast<int>(point.inner_row),
                             static_cast<int>(point.inner_column));
    backends::put_hole(value);
    backends::add_entry(value, from[k]);
  }
};

/// Chooses the layout of each tile.
template <Offset Off>
struct ShapesKernel {
  const Off* list_ptr;
  const unsigned char* codes;
  Rules rules;
  Tile* tile;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const auto begin = static_cast<std::int64_t>(list_ptr[t]);
    tile[t] = tile_shape(codes + begin, static_cast<std::int64_t>(list_ptr[t + 1]) - begin, rules);
  }
};

/// Bytes of all tiles, and those of them that an apply leaves alone.
struct DataSize {
  std::int64_t bytes = 0;
  std::int64_t not_read = 0;
};

/// Lays tiles out one after the other: a scan over their shapes, of which the last is followed by
/// one more that says where the data ends. Its last sum is the size of the data; it writes the
/// table once there is room for it.
template <Offset Off>
struct LayoutKernel {
  using value_type = DataSize;

  std::int64_t tiles;
  std::size_t value_bytes;
  const Tile* shapes;
  const Off* lists;
  Tile* tile;  ///< null at first, when only the size is asked for
  Off* list_ptr;

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = DataSize(); }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const {
    sum.bytes += other.bytes;
    sum.not_read += other.not_read;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t t, value_type& sum, bool last) const {
    const bool exists = t < tiles;
    const Tile shape = exists ? shapes[t] : Tile::make(Layout::coo, 0);
    if (last && tile) {
      tile[t] = {sum.bytes, shape.shape};
      list_ptr[t] = lists[t];
    }
    sum.bytes += exists ? shape.bytes(value_bytes) : 0;
    sum.not_read += exists && shape.has_slots() ? tile_size : 0;
  }
};

/// Cuts tile rows into pieces: a scan over them, and one more that says where the last piece ends.
template <Ordinal O, Offset Off>
struct PiecesKernel {
  using value_type = PieceCounts;

  std::int64_t tile_rows;
  std::int64_t piece_tiles;
  const Off* tile_ptr;
  Piece<O>* piece;  ///< null at first, when only their number is asked for
  CutPanel* cut;

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = PieceCounts(); }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.add(other); }
  KOKKOS_FUNCTION void operator()(std::int64_t row, value_type& sum, bool last) const {
    const auto first = static_cast<std::int64_t>(tile_ptr[row]);
    if (row == tile_rows) {
      if (last && piece) piece[sum.pieces] = {first, static_cast<O>(row), O(-1)};
      return;
    }
    const std::int64_t tiles = static_cast<std::int64_t>(tile_ptr[row + 1]) - first;
    const PieceCounts here = PieceCounts::of(ceil_div(tiles, piece_tiles));
    for (std::int64_t i = 0; last && piece && i < here.pieces; ++i) {
      piece[sum.pieces + i] = {first + i * piece_tiles, static_cast<O>(row),
                               here.cut ? static_cast<O>(sum.carries + i) : O(-1)};
    }
    if (last && piece && here.cut) cut[sum.cut] = {row, sum.carries, here.carries};
    sum.add(here);
  }
};

/// Writes the indices of each tile, and holes where it has places without an entry; with
/// `touch_all` at all places.
template <Scalar S, Offset Off>
struct IndicesKernel {
  const Tile* tile;
  const Off* list_ptr;
  const unsigned char* all_codes;
  unsigned char* data;
  bool touch_all;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const Tile to = tile[t];
    const unsigned char* const codes = all_codes + list_ptr[t];
    S* const values = reinterpret_cast<S*>(data + to.first);
    auto* const indices = reinterpret_cast<unsigned char*>(values + to.values());
    const bool holes = touch_all || to.has_slots() || to.layout() == Layout::dense;
    for (std::int64_t i = 0; holes && i < to.values(); ++i) backends::put_hole(values + i);
    switch (to.layout()) {
      case Layout::coo:
        for (std::int64_t i = 0; i < to.entries(); ++i) indices[i] = codes[i];
        break;
      case Layout::csr:
        write_starts(codes, to.entries(), indices);
        for (std::int64_t i = 0; i < to.entries(); ++i) {
          put_column(indices + tile_size, i, codes[i], i % 2 == 0);
        }
        break;
      case Layout::ell:
      case Layout::hyb: write_slots(to, codes, indices); break;
      default: break;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static void write_starts(const unsigned char* codes, std::int64_t entries,
                                                  unsigned char* starts) {
    std::int64_t i = 0;
    for (int row = 0; row < tile_size; ++row) {
      while (i < entries && codes[i] >> 4 < row) ++i;
      starts[row] = static_cast<unsigned char>(i);
    }
  }
  KOKKOS_INLINE_FUNCTION static void put_column(unsigned char* columns, std::int64_t i,
                                                unsigned char code, bool fresh) {
    const int before = fresh ? 0 : columns[i / 2];
    columns[i / 2] = static_cast<unsigned char>(before | (code & 15) << (4 * (i & 1)));
  }
  KOKKOS_INLINE_FUNCTION static void write_slots(const Tile& to, const unsigned char* codes,
                                                 unsigned char* indices) {
    write_starts(codes, to.entries(), indices + to.row_starts());
    for (int i = 0; i < to.slots() / 2; ++i) indices[i] = 0;
    for (std::int64_t i = 0; i < to.entries(); ++i) {
      const std::int64_t place = value_place(to, indices, i, codes[i] >> 4, codes[i] & 15);
      if (place < to.slots()) {
        put_column(indices, place, codes[i], false);
      } else {
        indices[to.slots() / 2 + (place - to.slots())] = codes[i];
      }
    }
  }
};

/// The same on a CPU: each thread those that it will read, so that they lie near to it.
template <class View, class Indices>
struct SharesOfIndices {
  using Scratch = backends::NoScratch;

  View A;
  Indices indices;
  int shares;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t first = A.first_piece(team.index(), shares);
    const std::int64_t last = A.first_piece(team.index() + 1, shares);
    for (auto t = A.piece[first].first_tile; t < A.piece[last].first_tile; ++t) indices(t);
  }
};

struct CountLayout {
  const Tile* tile;
  int which;
  KOKKOS_FUNCTION void operator()(std::int64_t t, std::int64_t& sum) const {
    sum += static_cast<int>(tile[t].layout()) == which;
  }
};

}  // namespace heddle::detail::tiled
