// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/partition.hpp"
#include "../common/cut_panels.hpp"
#include "tile.hpp"

namespace heddle::detail::tiled {

/// A run of tiles of one tile row, up to the first tile of the next piece. If the tile row is cut
/// into several, the piece stores its sums as carry-out number `carry`; else that is -1.
template <Ordinal O>
struct TilePiece {
  std::int64_t first_tile;
  O tile_row;
  O carry;
};

/// A matrix in tiles as kernels see it: plain pointers. Every tile row has a piece, even if it has
/// no tiles. One more tile and one more piece hold the ends of the last ones.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  O rows;
  std::int64_t pieces;
  const TilePiece<O>* piece;
  const O* tile_col;
  const Tile* tile;
  const unsigned char* data;

  KOKKOS_FORCEINLINE_FUNCTION const S* values(const Tile& of) const {
    return reinterpret_cast<const S*>(data + of.first);
  }
  KOKKOS_FORCEINLINE_FUNCTION const unsigned char* indices(const Tile& of) const {
    return data + of.first + of.values() * static_cast<std::int64_t>(sizeof(S));
  }

  /// First piece of a share, for threads of a CPU; all shares have about equal amounts of data.
  KOKKOS_INLINE_FUNCTION std::int64_t first_piece(std::int64_t share, std::int64_t shares) const {
    if (share == shares) return pieces;
    const std::int64_t steps = EqualShares{steps_before(pieces), shares}.begin(share);
    return first_where(std::int64_t{0}, pieces,
                       [&](std::int64_t index) { return steps_before(index) >= steps; });
  }

 private:
  /// Cost of the pieces before a piece, in bytes of data.
  KOKKOS_INLINE_FUNCTION std::int64_t steps_before(std::int64_t index) const {
    const std::int64_t first = piece[index].first_tile;
    return tile[first].first + first * tile_steps + index * piece_steps;
  }
};

/// Epilogue of a piece: stores its sums to y, or as carry-outs.
template <class View, class Product>
struct TileEpilogue {
  using Acc = typename Product::accumulator_type;
  using O = typename View::ordinal_type;

  View A;
  Product product;
  Carries<Acc> carries;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const TilePiece<O>& piece, int row, int vector,
                                              const Acc& sum) const {
    if (vector >= product.x.count) return;
    if (piece.carry >= 0) {
      *carries.at(piece.carry, vector, row) = sum;
    } else {
      (*this)(std::int64_t{piece.tile_row}, row, vector, sum);
    }
  }
  /// Stores the sum of a row, unless it is past the end of the matrix.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t tile_row, int row, int vector,
                                              const Acc& sum) const {
    const std::int64_t to = tile_row * tile_size + row;
    if (to < A.rows) product.store(static_cast<O>(to), vector, sum);
  }
};

}  // namespace heddle::detail::tiled
