// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "tile.hpp"
#include "tuning.hpp"

namespace heddle::detail::tiled {

/// What the rows of a tile hold. Without arrays, which a GPU would keep in memory, and in loops
/// that stay loops, for which it has registers.
class TileRows {
 public:
  /// Takes codes, 16 * row + column, in the order of rows.
  KOKKOS_FUNCTION TileRows(const unsigned char* codes, std::int64_t entries) {
    std::int64_t i = 0;
    HEDDLE_UNROLL(1)
    for (int row = 0; row < tile_size; ++row) {
      std::uint32_t columns = 0;
      std::uint64_t length = 0;
      HEDDLE_UNROLL(1)
      for (; i < entries && codes[i] >> 4 == row; ++i, ++length) {
        const std::uint32_t bit = std::uint32_t{1} << (codes[i] & 15);
        repeats_ = repeats_ || (columns & bit) != 0;
        columns |= bit;
      }
      if (row == 0) first_row_ = columns;
      whole_rows_ = whole_rows_ && (columns == 0 || columns == all_columns);
      alike_ = alike_ && columns == first_row_;
      rows_with_entries_ |= (columns != 0) << row;
      (row < 8 ? low_ : high_) |= (length & 255) << (8 * (row & 7));
    }
  }

  KOKKOS_FUNCTION bool repeats() const { return repeats_; }
  /// Only without repeats.
  KOKKOS_FUNCTION int length(int row) const {
    return static_cast<int>((row < 8 ? low_ : high_) >> (8 * (row & 7)) & 255);
  }
  /// A bit for each row that has entries if all these are whole, or 0.
  KOKKOS_FUNCTION int whole_rows() const { return whole_rows_ ? rows_with_entries_ : 0; }
  /// The same of columns: all rows have entries in the same ones.
  KOKKOS_FUNCTION int whole_columns() const { return alike_ ? static_cast<int>(first_row_) : 0; }

 private:
  static constexpr std::uint32_t all_columns = (1u << tile_size) - 1;
  std::uint64_t low_ = 0, high_ = 0;  // a byte for the length of each row
  std::uint32_t first_row_ = 0;
  int rows_with_entries_ = 0;
  bool repeats_ = false, whole_rows_ = true, alike_ = true;
};

/// The layout of a tile with `entries` entries, and what comes with it. One in which entries repeat
/// is a list of them. Source of the layouts and of the rules: Y. Niu, Z. Lu, M. Dong, Z. Jin, W.
/// Liu and G. Tan, "TileSpMV: a tiled algorithm for sparse matrix-vector multiplication on GPUs",
/// IPDPS 2021; the slots of HYB are as few as leave no more than the bound.
KOKKOS_INLINE_FUNCTION Tile tile_shape(const unsigned char* codes, std::int64_t entries,
                                       const Rules& rules) {
  if (entries <= rules.most_coo_entries || entries > tile_size * tile_size) {
    return Tile::make(Layout::coo, entries);
  }
  const TileRows rows(codes, entries);
  if (rows.repeats()) return Tile::make(Layout::coo, entries);
  if (entries >= rules.least_dense_entries) return Tile::make(Layout::dense, entries);
  if (const int lines = rows.whole_rows()) {
    return Tile::make(Layout::dense_rows, entries, 0, lines);
  }
  if (const int lines = rows.whole_columns()) {
    return Tile::make(Layout::dense_columns, entries, 0, lines);
  }
  int longest = 0;
  double squares = 0;
  HEDDLE_UNROLL(1)
  for (int row = 0; row < tile_size; ++row) {
    const int length = rows.length(row);
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
    HEDDLE_UNROLL(1)
    for (int width = 1; width * tile_size <= rules.most_hyb_padding * entries; ++width) {
      int rest = 0;
      HEDDLE_UNROLL(1)
      for (int row = 0; row < tile_size; ++row) {
        rest += rows.length(row) > width ? rows.length(row) - width : 0;
      }
      if (rest <= rules.most_hyb_rest) return Tile::make(Layout::hyb, entries, width, rest);
    }
  }
  return Tile::make(Layout::csr, entries, longest);
}

}  // namespace heddle::detail::tiled
