// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../core/types.hpp"

namespace heddle::detail::tiled {

/// Number of rows and of columns of a tile.
inline constexpr int tile_size = 16;

/// The layout of a tile: its values, then the indices, in bytes.
enum class Layout : std::uint8_t {
  coo,            ///< row by row; a byte for an entry: 16 * its row + its column
  csr,            ///< row by row; the start of each row; 4-bit columns of entries
  ell,            ///< slot by slot, 16 rows each, with holes; 4-bit columns of slots
  hyb,            ///< slots as in ell, then the rest of long rows, as in coo
  dense,          ///< all places, column by column, with holes; no indices
  dense_rows,     ///< full rows
  dense_columns,  ///< full columns
};
inline constexpr int layouts = 7;

/// Description of a tile, in two words that lanes of a GPU can shuffle.
class Tile {
 public:
  std::int64_t first;  ///< first byte of its data
  std::int64_t shape;

  /// `lines`: a bit for each row of dense_rows or column of dense_columns; for hyb the number of
  /// entries beyond its slots. `width`: slots of a row; for csr the longest row.
  KOKKOS_INLINE_FUNCTION static Tile make(Layout layout, std::int64_t entries, int width = 0,
                                          int lines = 0) {
    return {0, entries << 32 | std::int64_t{lines} << 8 | std::int64_t{width} << 3 |
                   static_cast<std::int64_t>(layout)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Layout layout() const { return static_cast<Layout>(shape & 7); }
  KOKKOS_FORCEINLINE_FUNCTION int width() const { return static_cast<int>(shape >> 3 & 31); }
  KOKKOS_FORCEINLINE_FUNCTION unsigned lines() const {
    return static_cast<unsigned>(shape >> 8 & 0xffff);
  }
  KOKKOS_FORCEINLINE_FUNCTION int rest() const { return static_cast<int>(lines()); }
  /// Number of entries, without limit if some repeat.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t entries() const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(shape) >> 32);
  }

  KOKKOS_FORCEINLINE_FUNCTION int slots() const { return tile_size * width(); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t values() const {
    switch (layout()) {
      case Layout::ell: return slots();
      case Layout::hyb: return slots() + rest();
      case Layout::dense: return tile_size * tile_size;
      default: return entries();
    }
  }
  /// Bytes of the indices that an apply reads. The starts of rows of ell and hyb, which only
  /// update_values reads, are not included.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index_bytes() const {
    switch (layout()) {
      case Layout::coo: return entries();
      case Layout::csr: return tile_size + (entries() + 1) / 2;
      case Layout::ell: return slots() / 2;
      case Layout::hyb: return slots() / 2 + rest();
      default: return 0;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has_slots() const {
    return layout() == Layout::ell || layout() == Layout::hyb;
  }
  /// Position of the starts of rows in the indices.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_starts() const {
    return has_slots() ? index_bytes() : 0;
  }
  /// Bytes of the whole tile, padded so that the next one is aligned.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t bytes(std::size_t value_bytes) const {
    const std::int64_t all = values() * static_cast<std::int64_t>(value_bytes) + index_bytes() +
                             (has_slots() ? tile_size : 0);
    return ceil_div<std::int64_t>(all, alignment) * alignment;
  }

  static constexpr std::int64_t alignment = 16;
};

/// The 4-bit column of entry i, in the byte that holds it.
KOKKOS_FORCEINLINE_FUNCTION int nibble(unsigned char byte, std::int64_t i) {
  return byte >> (4 * (i & 1)) & 15;
}

/// The place among a tile's values of its entry number `entry`, which is in (row, column).
KOKKOS_INLINE_FUNCTION std::int64_t value_place(const Tile& tile, const unsigned char* indices,
                                                std::int64_t entry, int row, int column) {
  const auto below = [&](int line) {
    return popcount(tile.lines() & ((1u << line) - 1)) * tile_size;
  };
  switch (tile.layout()) {
    case Layout::dense: return column * tile_size + row;
    case Layout::dense_rows: return below(row) + column;
    case Layout::dense_columns: return below(column) + row;
    case Layout::ell:
    case Layout::hyb: {
      const unsigned char* const starts = indices + tile.row_starts();
      const int in_row = static_cast<int>(entry) - starts[row];
      if (in_row < tile.width()) return in_row * tile_size + row;
      int rest = in_row - tile.width();
      for (int r = 0; r < row; ++r) {
        const int length = starts[r + 1] - starts[r];
        rest += length > tile.width() ? length - tile.width() : 0;
      }
      return tile.slots() + rest;
    }
    default: return entry;
  }
}

/// The rules that choose each tile's layout, in the order in which they are applied. They are those
/// of the paper named in inspect.hpp; no others were timed here.
struct Rules {
  /// Most entries of a tile that is a list of entries.
  int most_coo_entries = 12;
  /// Fewest entries of a dense tile: 75 % of its places.
  int least_dense_entries = 192;
  /// Variation of row lengths (standard deviation over mean, in percent): the highest of a tile in
  /// ELL, and the lowest of one in HYB.
  int most_ell_percent = 20;
  int least_hyb_percent = 100;
  /// Most entries beyond the slots of a tile in HYB, and most slots for each of its entries.
  int most_hyb_rest = 4;
  int most_hyb_padding = 2;
};

/// Sizes of the kernels of tiled.
struct Tuning {
  /// Most tiles of a piece, unless a scheme sets it: on a CPU, and on a GPU, where a warp computes
  /// a piece, about a microsecond for each tile on an H200. A GPU's pieces are smaller, down to the
  /// least size, if it would otherwise have fewer than warps_per_multiprocessor warps on each.
  int cpu_piece_tiles = 4096;
  int gpu_piece_tiles = 64;
  int least_piece_tiles = 4;
  int warps_per_multiprocessor = 32;
  int team_threads = 128;
  /// Steps of a tile that a lane of a GPU loads at once.
  int batch = 4;
  /// Most vectors of one pass over the tiles.
  int most_vectors = 8;
  /// Cost of a tile and of a piece for a thread of a CPU, besides their data, in bytes of data.
  int tile_steps = 64;
  int piece_steps = 128;
};

inline constexpr Tuning tuning{};

/// Constants of their own, so that kernels may name them.
inline constexpr int most_vectors = tuning.most_vectors;
inline constexpr int tile_steps = tuning.tile_steps;
inline constexpr int piece_steps = tuning.piece_steps;

}  // namespace heddle::detail::tiled
