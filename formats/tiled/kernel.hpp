// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../common/product.hpp"
#include "tile_sums.hpp"

namespace heddle::detail::tiled {

/// y = alpha * A * x + beta * y for A in tiles, on a GPU: a subwarp a piece of a tile row. Each of
/// its lanes looks at another tile, so that the tables are read side by side; then all take these
/// tiles one after the other. Two lanes a row, whose sums come together in the end.
///
/// Deterministic: in the order of the columns, those of even and of odd place in a row apart; cut
/// tile rows in the order of their pieces.
template <class View, class Product, int Batch, int Vectors>
struct Kernel {
  using Scratch = backends::NoScratch;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  Delivery<View, Product> deliver;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int width = Team::subwarp_width;
    static_assert(width == 2 * tile_size);
    const View& A = deliver.A;
    const auto warp = team.subwarp();
    const std::int64_t index = team.index() * Team::subwarps + team.subwarp_index();
    if (index >= A.pieces) return;
    const auto piece = A.piece[index];
    const std::int64_t last = A.piece[index + 1].first_tile;
    TileSums<View, Product, typename Team::subwarp_type, Batch, Vectors> sums{A, deliver.product,
                                                                              warp};
    for (std::int64_t first = piece.first_tile; first < last; first += width) {
      const std::int64_t t = first + warp.lane();
      const O column = backends::load(A.tile_col + t, t < last);
      const Tile tile{backends::load(&A.tile[t].first, t < last),
                      backends::load(&A.tile[t].shape, t < last)};
      const int tiles = last - first < width ? static_cast<int>(last - first) : width;
      for (int i = 0; i < tiles; ++i) {
        sums.add(Tile{warp.broadcast(tile.first, i), warp.broadcast(tile.shape, i)},
                 warp.broadcast(column, i));
      }
    }
    for (int v = 0; v < Vectors; ++v) {
      const Acc sum = sums.sum[v] + warp.shuffle_xor(sums.sum[v], tile_size);
      if (warp.lane() < tile_size) deliver(piece, warp.lane(), v, sum);
    }
  }
};

}  // namespace heddle::detail::tiled
