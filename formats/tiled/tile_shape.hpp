// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile.hpp"
#include "tuning.hpp"

namespace heddle::detail::tiled {

/// Where the entries of a tile lie: a code is 16 * row + column.
struct Occupied {
  int rows[tile_size] = {};
  int columns[tile_size] = {};
  std::uint32_t seen[tile_size * tile_size / 32] = {};
  bool repeats = false;

  KOKKOS_FUNCTION void add(unsigned char code) {
    ++rows[code >> 4];
    ++columns[code & 15];
    const std::uint32_t bit = std::uint32_t{1} << (code & 31);
    repeats = repeats || (seen[code >> 5] & bit) != 0;
    seen[code >> 5] |= bit;
  }
};

/// A bit for each line that is whole, or 0 if one has some entries but not all.
KOKKOS_INLINE_FUNCTION int whole_lines(const int (&counts)[tile_size]) {
  int lines = 0;
  for (int i = 0; i < tile_size; ++i) {
    if (counts[i] != 0 && counts[i] != tile_size) return 0;
    lines |= (counts[i] != 0) << i;
  }
  return lines;
}

/// The layout of a tile of so many entries, and what comes with it. One in which entries repeat is
/// a list of them. Source of the layouts and of the rules: Y. Niu, Z. Lu, M. Dong, Z. Jin, W. Liu
/// and G. Tan, "TileSpMV: a tiled algorithm for sparse matrix-vector multiplication on GPUs", IPDPS
/// 2021; the slots of HYB are as few as leave no more than the bound.
KOKKOS_INLINE_FUNCTION Tile tile_shape(const unsigned char* codes, std::int64_t entries,
                                       const Rules& rules) {
  if (entries <= rules.most_coo_entries || entries > tile_size * tile_size) {
    return Tile::make(Layout::coo, entries);
  }
  Occupied occupied;
  for (std::int64_t i = 0; i < entries; ++i) occupied.add(codes[i]);
  if (occupied.repeats) return Tile::make(Layout::coo, entries);
  if (entries >= rules.least_dense_entries) return Tile::make(Layout::dense, entries);
  if (const int lines = rules.whole_lines ? whole_lines(occupied.rows) : 0) {
    return Tile::make(Layout::dense_rows, entries, 0, lines);
  }
  if (const int lines = rules.whole_lines ? whole_lines(occupied.columns) : 0) {
    return Tile::make(Layout::dense_columns, entries, 0, lines);
  }
  int longest = 0;
  double squares = 0;
  for (const int length : occupied.rows) {
    longest = length > longest ? length : longest;
    squares += static_cast<double>(length) * length;
  }
  const double sum = static_cast<double>(entries);
  const double variation_squared = tile_size * squares / (sum * sum) - 1;
  const double most_ell = rules.most_ell_percent / 100.0;
  const double least_hyb = rules.least_hyb_percent / 100.0;
  if (most_ell >= 0 && variation_squared <= most_ell * most_ell) {
    return Tile::make(Layout::ell, entries, longest);
  }
  if (least_hyb >= 0 && variation_squared >= least_hyb * least_hyb) {
    for (int width = 1; width * tile_size <= rules.most_hyb_padding * entries; ++width) {
      int rest = 0;
      for (const int length : occupied.rows) rest += length > width ? length - width : 0;
      if (rest <= rules.most_hyb_rest) return Tile::make(Layout::hyb, entries, width, rest);
    }
  }
  return Tile::make(Layout::csr, entries, longest);
}

}  // namespace heddle::detail::tiled
