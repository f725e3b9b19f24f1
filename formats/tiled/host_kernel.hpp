// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/pack_entries.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::tiled {

/// The same on a CPU: a team is a thread, which takes a share of the pieces of as much data as the
/// other shares.
///
/// Deterministic: in the order of the columns.
template <class View, class Product, int Vectors>
struct HostKernel {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  using Sums = Acc[Vectors][tile_size];

  Delivery<View, Product> deliver;
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
  /// A column of all rows, some of them holes.
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
