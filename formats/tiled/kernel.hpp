// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/memory.hpp"
#include "../../backends/pack.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "tile.hpp"
#include "view.hpp"

/// The part of a tile that a lane of a GPU reads, by layout: lane l has row l % 16, and every other
/// place of that row, lanes from 16 on those of odd number. Each call of next() is a step.
namespace heddle::detail::tiled {

template <Scalar S>
struct LaneEntry {
  S value;
  int column;
  bool present;
};

template <Scalar S>
struct LaneOfDense {
  const S* values;
  int row;
  int column;

  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const S value = backends::load_once(values + column * tile_size + row, column < tile_size);
    const LaneEntry<S> entry{value, column & 15, column < tile_size && !backends::is_hole(value)};
    column += 2;
    return entry;
  }
};

template <Scalar S>
struct LaneOfSlots {
  const S* values;
  const unsigned char* columns;
  int width;
  int row;
  int slot;

  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const bool inside = slot < width;
    const int at = slot * tile_size + row;
    const S value = backends::load_once(values + at, inside);
    const int column = nibble(backends::load(columns + at / 2, inside), at);
    slot += 2;
    return {value, column, inside && !backends::is_hole(value)};
  }
};

template <Scalar S>
struct LaneOfRow {
  const S* values;
  const unsigned char* columns;
  int at;
  int end;

  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const bool inside = at < end;
    const S value = backends::load_once(values + at, inside);
    const int column = nibble(backends::load(columns + at / 2, inside), at);
    at += 2;
    return {value, column, inside};
  }
};

template <Scalar S>
struct LaneOfColumns {
  const S* values;
  unsigned columns;  ///< the remaining columns, a bit for each
  int at;

  KOKKOS_FORCEINLINE_FUNCTION static LaneOfColumns of(const S* values, unsigned columns, int half,
                                                      int row) {
    return {values, half == 0 ? columns : columns & (columns - 1), half * tile_size + row};
  }
  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const bool inside = columns != 0;
    const LaneEntry<S> entry{backends::load_once(values + at, inside),
                             inside ? countr_zero(columns) : 0, inside};
    columns &= columns - 1;
    columns &= columns - 1;
    at += 2 * tile_size;
    return entry;
  }
};

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

  /// Adds a tile. Lane l holds x of column l % 16, which other lanes read by shuffles.
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
                         (popcount(tile.lines()) + 1) / 2, x);
    }
  }

 private:
  /// Adds `steps` steps of each lane; the loads of a batch of steps are in flight together.
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

  /// A lane for each entry; then the lane of each row adds the products, in the order of the list.
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

  /// Sixteen lanes for each row, each with the x that it holds itself.
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const S* values, unsigned rows,
                                            const Acc (&x)[Vectors]) {
    const int lane = warp.lane() & (tile_size - 1);
    const int steps = (popcount(rows) + 1) / 2;
    if (warp.lane() >= tile_size) rows &= rows - 1;
    for (int step = 0; step < steps; ++step) {
      const bool present = rows != 0;
      const int row = present ? countr_zero(rows) : -1;
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

/// y = alpha * A * x + beta * y for A in tiles, on a GPU: a subwarp for each piece of a tile row.
/// Each lane loads the table of another tile, so that loads are coalesced; then all lanes compute
/// these tiles one after the other, two lanes for each row, whose sums are added at the end.
///
/// Deterministic: in the order of the columns, with separate sums for even and odd places of a row;
/// cut tile rows in the order of their pieces.
template <class View, class Product, int Batch, int Vectors>
struct Kernel {
  using Scratch = backends::NoScratch;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  TileEpilogue<View, Product> deliver;

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

/// y = alpha * A * x + beta * y for A in tiles, on a CPU: a team is a thread, with a share of the
/// pieces that has as much data as the other shares.
///
/// Deterministic: in the order of the columns.
template <class View, class Product, int Vectors>
struct TilesOnThreads {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  using Sums = Acc[Vectors][tile_size];

  TileEpilogue<View, Product> deliver;
  int shares;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const View& A = deliver.A;
    const std::int64_t last = A.first_piece(team.index() + 1, shares);
    for (std::int64_t index = A.first_piece(team.index(), shares); index < last; ++index) {
      Sums sum = {};
      for (auto t = A.piece[index].first_tile; t < A.piece[index + 1].first_tile; ++t) {
        add(A.tile[t], static_cast<std::int64_t>(A.tile_col[t]) * tile_size, sum);
      }
      for (int v = 0; v < Vectors; ++v) {
        for (int row = 0; row < tile_size; ++row) deliver(A.piece[index], row, v, sum[v][row]);
      }
    }
  }

 private:
  KOKKOS_FUNCTION void add(const Tile& tile, std::int64_t column, Sums& sum) const {
    const S* const values = deliver.A.values(tile);
    const unsigned char* const indices = deliver.A.indices(tile);
    switch (tile.layout()) {
      case Layout::coo: return add_list(values, indices, tile.entries(), column, sum);
      case Layout::csr: return add_rows_of_csr(tile, values, indices, column, sum);
      case Layout::ell:
      case Layout::hyb:
        add_slots(values, indices, tile.width(), column, sum);
        return add_list(values + tile.slots(), indices + tile.slots() / 2, tile.rest(), column,
                        sum);
      case Layout::dense: {
        const std::int64_t left = deliver.product.x.rows - column;
        for (int c = 0; c < tile_size && c < left; ++c) {
          add_column(values + c * tile_size, column + c, sum);
        }
        return;
      }
      case Layout::dense_rows: return add_rows(values, tile.lines(), column, sum);
      case Layout::dense_columns:
        for (int c = 0, stored = 0; c < tile_size; ++c) {
          if ((tile.lines() >> c & 1) == 0) continue;
          add_column(values + stored * tile_size, column + c, sum);
          ++stored;
        }
        return;
    }
  }

  KOKKOS_FUNCTION Acc x(std::int64_t column, int vector) const {
    return Acc(deliver.product.x(column, vector < deliver.product.x.count ? vector : 0));
  }
  KOKKOS_FUNCTION Acc entry(const S& stored) const { return Acc(deliver.product.entry(stored)); }

  KOKKOS_FUNCTION void add_list(const S* values, const unsigned char* codes, std::int64_t entries,
                                std::int64_t column, Sums& sum) const {
    for (std::int64_t i = 0; i < entries; ++i) {
      const Acc value = entry(values[i]);
      for (int v = 0; v < Vectors; ++v) {
        sum[v][codes[i] >> 4] += value * x(column + (codes[i] & 15), v);
      }
    }
  }
  KOKKOS_FUNCTION void add_rows_of_csr(const Tile& tile, const S* values,
                                       const unsigned char* starts, std::int64_t column,
                                       Sums& sum) const {
    const unsigned char* const columns = starts + tile_size;
    int at = 0;
    for (int row = 0; row < tile_size; ++row) {
      const int end = row + 1 < tile_size ? starts[row + 1] : static_cast<int>(tile.entries());
      for (; at < end; ++at) {
        const Acc value = entry(values[at]);
        for (int v = 0; v < Vectors; ++v) {
          sum[v][row] += value * x(column + nibble(columns[at / 2], at), v);
        }
      }
    }
  }
  KOKKOS_FUNCTION void add_slots(const S* values, const unsigned char* columns, int width,
                                 std::int64_t column, Sums& sum) const {
    for (int at = 0; at < width * tile_size; ++at) {
      if (backends::is_hole(values[at])) continue;
      const Acc value = entry(values[at]);
      for (int v = 0; v < Vectors; ++v) {
        sum[v][at % tile_size] += value * x(column + nibble(columns[at / 2], at), v);
      }
    }
  }
  /// Adds a column of 16 rows, some of them holes.
  KOKKOS_FUNCTION void add_column(const S* values, std::int64_t column, Sums& sum) const {
    for (int v = 0; v < Vectors; ++v) {
      const Acc factor = x(column, v);
      for (int row = 0; row < tile_size; ++row) {
        const Acc more = sum[v][row] + entry(values[row]) * factor;
        sum[v][row] = backends::is_hole(values[row]) ? sum[v][row] : more;
      }
    }
  }
  KOKKOS_FUNCTION void add_rows(const S* values, unsigned rows, std::int64_t column,
                                Sums& sum) const {
    for (int row = 0; row < tile_size; ++row) {
      if ((rows >> row & 1) == 0) continue;
      for (int c = 0; c < tile_size; ++c) {
        const Acc value = entry(values[c]);
        for (int v = 0; v < Vectors; ++v) sum[v][row] += value * x(column + c, v);
      }
      values += tile_size;
    }
  }
};

}  // namespace heddle::detail::tiled
