// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/cut_panels.hpp"
#include "tile.hpp"

namespace heddle::detail::tiled {

/// A run of tiles of one tile row, up to where the next piece begins. Of a tile row that is cut
/// into several, each leaves its sums as carry-out number `carry`; else that is -1.
template <Ordinal O>
struct Piece {
  std::int64_t first_tile;
  O tile_row;
  O carry;
};

/// A matrix in tiles as kernels see it: plain pointers. Every tile row has a piece, even if it has
/// no tiles. Behind the last tile and the last piece is one that says where they end.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  O rows;
  std::int64_t pieces;
  const Piece<O>* piece;
  const O* tile_col;
  const Tile* tile;
  const unsigned char* data;

  KOKKOS_FORCEINLINE_FUNCTION const S* values(const Tile& of) const {
    return reinterpret_cast<const S*>(data + of.first);
  }
  KOKKOS_FORCEINLINE_FUNCTION const unsigned char* indices(const Tile& of) const {
    return data + of.first + of.values() * static_cast<std::int64_t>(sizeof(S));
  }

  /// Where a share of the pieces begins, of as much data as the other shares: the threads of a CPU.
  KOKKOS_INLINE_FUNCTION std::int64_t first_piece(std::int64_t share, std::int64_t shares) const {
    if (share == shares) return pieces;
    const std::int64_t all = steps_before(pieces);
    const std::int64_t steps = all / shares * share + all % shares * share / shares;
    std::int64_t low = 0, high = pieces;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (steps_before(middle) < steps) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  /// What lies before a piece, in bytes of data and what stands for them.
  KOKKOS_INLINE_FUNCTION std::int64_t steps_before(std::int64_t index) const {
    const std::int64_t first = piece[index].first_tile;
    return tile[first].first + first * tile_steps + index * piece_steps;
  }
};

/// Where pieces leave their sums: in y, or as carry-outs.
template <class View, class Product>
struct Delivery {
  using Acc = typename Product::accumulator_type;
  using O = typename View::ordinal_type;

  View A;
  Product product;
  Carries<Acc> carries;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Piece<O>& piece, int row, int vector,
                                              const Acc& sum) const {
    if (vector >= product.x.count) return;
    if (piece.carry >= 0) {
      *carries.at(piece.carry, vector, row) = sum;
    } else {
      (*this)(std::int64_t{piece.tile_row}, row, vector, sum);
    }
  }
  /// The last rows of a tile may lie beyond the matrix.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t tile_row, int row, int vector,
                                              const Acc& sum) const {
    const std::int64_t to = tile_row * tile_size + row;
    if (to < A.rows) product.store(static_cast<O>(to), vector, sum);
  }
};

}  // namespace heddle::detail::tiled
