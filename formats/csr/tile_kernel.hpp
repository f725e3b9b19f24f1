// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/backends/unroll.hpp>
#include <heddle/formats/csr/operands.hpp>
#include <heddle/formats/csr/tiles.hpp>

namespace heddle::csr {

/// csr/merge and csr/adaptive on a GPU: a team a tile. The team multiplies the tile's nonzeros in
/// the order they lie in memory and leaves the products in scratch; then groups of lanes, as many a
/// row as the tile has threads to spare, add up the rows, and whole subwarps the rows that are too
/// long for a group. A tile inside one long row is added up by the whole team at once.
///
/// Deterministic: the parts of a cut row are added in an order that the tiles fix. They lie in the
/// plan, so one plan runs once at a time. Sources: D. Merrill and M. Garland (SC 2016) for the
/// cuts; J. Greathouse and M. Daga, "Efficient sparse matrix-vector multiplication on GPUs using
/// the CSR storage format" (SC 2014) for products staged in scratch.
template <class Operands, int Threads, int ItemsPerThread, bool SeveralColumns>
struct TileKernel {
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  static constexpr int capacity = Threads * ItemsPerThread;
  /// A group leaves a row of more than this many nonzeros a lane to a subwarp.
  static constexpr int most_per_lane = 16;

  struct Scratch {
    // Raw bytes, since complex types have constructors that scratch must not run.
    alignas(16) unsigned char product_bytes[sizeof(Acc) * (capacity + capacity / 16 + 1)];
    int long_rows;
    int long_row[capacity / most_per_lane + 1];

    KOKKOS_FORCEINLINE_FUNCTION Acc& product(int k) {
      // One place skipped every 16 keeps rows of 2^n nonzeros off each other's banks.
      return reinterpret_cast<Acc*>(product_bytes)[k + k / 16];
    }
  };

  Operands operands;
  TileTable<O, Off, Acc> table;

  /// Rows [first_row, first_row + ended) end in the tile; if `leaves`, one more goes on beyond it,
  /// and if `chain` is not -1, the first began in that tile and ends in this one.
  struct Tile {
    int index;
    Off begin;
    int nonzeros;
    O first_row;
    int ended;
    int chain;
    bool leaves;

    KOKKOS_FORCEINLINE_FUNCTION int rows() const { return ended + (leaves ? 1 : 0); }
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const std::int64_t t = team.index();
    Tile tile;
    tile.index = static_cast<int>(t);
    tile.begin = table.nonzero[t];
    tile.nonzeros = static_cast<int>(table.nonzero[t + 1] - tile.begin);
    tile.first_row = table.row[t];
    tile.ended = static_cast<int>(table.row[t + 1] - tile.first_row);
    tile.chain = tile.ended > 0 ? table.chain[t] : -1;
    tile.leaves = table.chain[t + 1] >= 0;
    add_up(team, scratch, tile, 0);
    if constexpr (SeveralColumns) {
      for (int c = 1; c < operands.x.count; ++c) {
        team.barrier();
        add_up(team, scratch, tile, c);
      }
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, Scratch& scratch, const Tile& tile,
                                          int c) const {
    Acc product[ItemsPerThread];
    const int nonzeros = SeveralColumns ? backends::afresh(tile.nonzeros) : tile.nonzeros;
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      const int k = team.thread() + i * Threads;
      product[i] = k < nonzeros ? operands.product(operands.value_once(tile.begin + k),
                                                   operands.column_once(tile.begin + k), c)
                                : Acc(0);
    }
    if (tile.rows() == 1) {
      Acc sum = product[0];
      for (int i = 1; i < ItemsPerThread; ++i) sum += product[i];
      add_up_one_row(team, scratch, tile, c, sum);
      return;
    }
    const int thread = SeveralColumns ? backends::afresh(team.thread()) : team.thread();
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      const int k = thread + i * Threads;
      if (k < tile.nonzeros) scratch.product(k) = product[i];
    }
    add_up_rows(team, scratch, tile, c);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_one_row(const Team& team, Scratch& scratch,
                                                  const Tile& tile, int c, Acc sum) const {
    const auto subwarp = team.subwarp();
    if (finishes(tile, 0)) {
      sum += table.parts.take_all(tile.chain + team.thread(), tile.index, Threads, c);
    }
    sum = subwarp.sum(sum);
    if (subwarp.lane() == 0) scratch.product(team.subwarp_index()) = sum;
    team.barrier();
    if (team.subwarp_index() == 0) {
      Acc total(0);
      if (subwarp.lane() < Team::subwarps) total = scratch.product(subwarp.lane());
      total = subwarp.sum(total);
      if (subwarp.lane() == 0) deliver(tile, 0, c, total);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_rows(const Team& team, Scratch& scratch, const Tile& tile,
                                               int c) const {
    const auto subwarp = team.subwarp();
    const int rows = tile.rows();
    int lanes = 1;
    while (lanes < Team::subwarp_width && rows * lanes * 2 <= Threads) lanes *= 2;
    const bool subwarp_a_row = lanes == Team::subwarp_width;
    int row = team.thread() / lanes;
    int from, to;
    bounds(tile, row, from, to);
    if (team.thread() == 0) scratch.long_rows = subwarp_a_row ? rows : 0;
    team.barrier();
    if (!subwarp_a_row) {
      const int groups = Threads / lanes;
      const int lane = team.thread() % lanes;
      for (int round = 0; round < rows; round += groups) {
        const bool short_row = to - from <= most_per_lane * lanes;
        Acc sum(0);
        if (short_row) {
          for (int k = from + lane; k < to; k += lanes) sum += scratch.product(k);
        }
        for (int bits = lanes / 2; bits > 0; bits /= 2) sum += subwarp.shuffle_xor(sum, bits);
        if (lane == 0 && row < rows) {
          if (short_row && !finishes(tile, row)) {
            deliver(tile, row, c, sum);
          } else {
            scratch.long_row[Kokkos::atomic_fetch_inc(&scratch.long_rows)] = row;
          }
        }
        row += groups;
        bounds(tile, row, from, to);
      }
      team.barrier();
    }
    // The list's order varies from run to run, the sum of each row does not.
    for (int i = team.subwarp_index(); i < scratch.long_rows; i += Team::subwarps) {
      if (!subwarp_a_row) {
        row = scratch.long_row[i];
        bounds(tile, row, from, to);
      }
      add_up_row(subwarp, scratch, tile, row, c, from, to);
    }
  }

  /// A row by a subwarp, which also collects the parts of a row to finish.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_row(const Subwarp& subwarp, Scratch& scratch,
                                              const Tile& tile, int row, int c, int from,
                                              int to) const {
    Acc sum(0);
    for (int k = from + subwarp.lane(); k < to; k += Subwarp::width) sum += scratch.product(k);
    if (finishes(tile, row)) {
      sum += table.parts.take_all(tile.chain + subwarp.lane(), tile.index, Subwarp::width, c);
    }
    sum = subwarp.sum(sum);
    if (subwarp.lane() == 0) deliver(tile, row, c, sum);
  }

  /// Whether the row began in another tile and ends in this one.
  KOKKOS_FORCEINLINE_FUNCTION static bool finishes(const Tile& tile, int row) {
    return row == 0 && tile.chain >= 0;
  }

  /// Where the nonzeros of a row of the tile lie in it; nowhere for a row beyond the last.
  KOKKOS_FORCEINLINE_FUNCTION void bounds(const Tile& tile, int row, int& from, int& to) const {
    from = to = 0;
    if (row >= tile.rows()) return;
    const Off row_begin = operands.row_ptr[tile.first_row + row];
    const Off row_end = operands.row_ptr[tile.first_row + row + 1];
    if (row_begin > tile.begin) from = static_cast<int>(row_begin - tile.begin);
    to = row_end - tile.begin < static_cast<Off>(tile.nonzeros)
             ? static_cast<int>(row_end - tile.begin)
             : tile.nonzeros;
  }

  /// What the tile has of a row is added up: a whole row goes to y, the part of a row that goes on
  /// to the tile that finishes it. By one lane.
  KOKKOS_FORCEINLINE_FUNCTION void deliver(const Tile& tile, int row, int c, const Acc& sum) const {
    if (row == tile.ended) {
      table.parts.leave(tile.index, c, sum);
    } else {
      operands.store(static_cast<O>(tile.first_row + row), c, sum);
    }
  }
};

}  // namespace heddle::csr
