// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "lane_slots.hpp"
#include "view.hpp"

namespace heddle::detail::tiled {

/// The sums of a tile row that the lanes of a subwarp of a GPU keep: lane l those of row l % 16.
/// All lanes call together.
template <class View, class Product, class Subwarp, int Batch, int Vectors>
struct TileSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  const View& A;
  const Product& product;
  Subwarp warp;
  Acc sum[Vectors] = {};

  /// What a tile adds to them. Lane l holds x of column l % 16, and hands it to those that ask.
  KOKKOS_FORCEINLINE_FUNCTION void add(const Tile& tile, O tile_column) {
    const int row = warp.lane() & (tile_size - 1);
    const int half = warp.lane() / tile_size;
    const S* const values = A.values(tile);
    const unsigned char* const indices = A.indices(tile);
    const std::int64_t column = static_cast<std::int64_t>(tile_column) * tile_size + row;
    Acc x[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      x[v] = product.template gather<false>(column, v, column < product.x.rows);
    }
    switch (tile.layout()) {
      case Layout::coo: return add_list(values, indices, tile.entries(), x);
      case Layout::csr: {
        const int begin = indices[row];
        const int end = row + 1 < tile_size ? indices[row + 1] : static_cast<int>(tile.entries());
        return add_lanes(LaneOfRow<S>{values, indices + tile_size, begin + half, end},
                         (tile.width() + 1) / 2, x);
      }
      case Layout::ell:
      case Layout::hyb:
        add_lanes(LaneOfSlots<S>{values, indices, tile.width(), row, half}, (tile.width() + 1) / 2,
                  x);
        if (tile.rest() > 0) {
          add_list(values + tile.slots(), indices + tile.slots() / 2, tile.rest(), x);
        }
        return;
      case Layout::dense: return add_lanes(LaneOfDense<S>{values, row, half}, tile_size / 2, x);
      case Layout::dense_rows: return add_rows(values, tile.lines(), x);
      case Layout::dense_columns:
        return add_lanes(LaneOfColumns<S>::of(values, tile.lines(), half, row),
                         (Kokkos::popcount(tile.lines()) + 1) / 2, x);
    }
  }

 private:
  /// So many steps of each lane, of which a batch is loaded together.
  template <class Lane>
  KOKKOS_FORCEINLINE_FUNCTION void add_lanes(Lane lane, int steps, const Acc (&x)[Vectors]) {
    for (int first = 0; first < steps; first += Batch) {
      LaneEntry<S> entry[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) entry[i] = lane.next();
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        if (first + i < steps) {
          const Acc value(product.entry(entry[i].value));
          for (int v = 0; v < Vectors; ++v) {
            const Acc factor = warp.shuffle(x[v], entry[i].column);
            if (entry[i].present) sum[v] += value * factor;
          }
        }
      }
    }
  }

  /// A lane an entry; then each sum is handed to the lane of its row, in the order of the list.
  KOKKOS_FORCEINLINE_FUNCTION void add_list(const S* values, const unsigned char* codes,
                                            std::int64_t entries, const Acc (&x)[Vectors]) {
    constexpr int width = Subwarp::width;
    for (std::int64_t first = 0; first < entries; first += width) {
      const std::int64_t at = first + warp.lane();
      const int code = backends::load(codes + at, at < entries);
      const Acc value(product.entry(backends::load_once(values + at, at < entries)));
      const int count = entries - first < width ? static_cast<int>(entries - first) : width;
      Acc of_entry[Vectors];
      for (int v = 0; v < Vectors; ++v) of_entry[v] = value * warp.shuffle(x[v], code & 15);
      for (int i = 0; i < count; ++i) {
        const int row = warp.broadcast(code, i) >> 4;
        for (int v = 0; v < Vectors; ++v) {
          const Acc other = warp.broadcast(of_entry[v], i);
          if (warp.lane() == row) sum[v] += other;
        }
      }
    }
  }

  /// Sixteen lanes a row, each with the x that it holds itself.
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const S* values, unsigned rows,
                                            const Acc (&x)[Vectors]) {
    const int lane = warp.lane() & (tile_size - 1);
    const int steps = (Kokkos::popcount(rows) + 1) / 2;
    if (warp.lane() >= tile_size) rows &= rows - 1;
    for (int step = 0; step < steps; ++step) {
      const bool present = rows != 0;
      const int row = present ? Kokkos::countr_zero(rows) : -1;
      const S stored = backends::load_once(values + 2 * step * tile_size + warp.lane(), present);
      const Acc value(product.entry(stored));
      for (int v = 0; v < Vectors; ++v) {
        const Acc all = warp.template sum_within<tile_size>(present ? value * x[v] : Acc(0));
        if (lane == row) sum[v] += all;
      }
      rows &= rows - 1;
      rows &= rows - 1;
    }
  }
};

}  // namespace heddle::detail::tiled
