// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/backends/unroll.hpp>
#include <heddle/formats/csr/operands.hpp>
#include <heddle/formats/csr/tiles.hpp>

namespace heddle::csr {

/// csr/merge and csr/adaptive on a GPU: a team a tile. The team multiplies the tile's nonzeros in
/// the order they lie in memory and leaves the products in scratch; then groups of lanes, as many a
/// row as the tile's rows are long, add up each row. A tile inside one long row is added up by the
/// whole team without scratch. Rows that leave a tile unfinished are chained (see TileTable).
///
/// Deterministic: parts are added in the order of tiles, whoever arrives last. The chain's counters
/// live in the plan, so one plan runs once at a time. Sources: D. Merrill and M. Garland (SC 2016)
/// for the cuts; J. Greathouse and M. Daga, "Efficient sparse matrix-vector multiplication on GPUs
/// using the CSR storage format" (SC 2014) for products staged in scratch.
template <class Operands, int Threads, int ItemsPerThread>
struct TileKernel {
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  using S = std::remove_cvref_t<decltype(std::declval<Operands>().value(0))>;
  static constexpr int capacity = Threads * ItemsPerThread;

  struct Scratch {
    // Raw bytes, since complex types have constructors that scratch must not run.
    alignas(16) unsigned char product_bytes[sizeof(Acc) * (capacity + capacity / 16 + 1)];
    alignas(16) unsigned char sum_bytes[sizeof(Acc) * Threads];
    alignas(16) unsigned char boundary_bytes[sizeof(Acc) * 2];
    int last;

    KOKKOS_FORCEINLINE_FUNCTION Acc& product(int k) {
      // One place skipped every 16 keeps rows of 2^n nonzeros off each other's banks.
      return reinterpret_cast<Acc*>(product_bytes)[k + k / 16];
    }
    KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int i) { return reinterpret_cast<Acc*>(sum_bytes)[i]; }
    KOKKOS_FORCEINLINE_FUNCTION Acc& entering() { return reinterpret_cast<Acc*>(boundary_bytes)[0]; }
    KOKKOS_FORCEINLINE_FUNCTION Acc& leaving() { return reinterpret_cast<Acc*>(boundary_bytes)[1]; }
  };

  Operands operands;
  TileTable<O, Off, Acc> table;

  /// What a tile is: rows [first_row, first_row + ended) end in it, and if `leaves`, one more
  /// begins or goes on and does not end.
  struct Tile {
    std::int64_t index;
    O first_row;
    Off begin;
    int nonzeros;
    int ended;
    int touched;
    int chain_in;
    bool leaves;
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    Tile tile;
    tile.index = team.index();
    tile.first_row = table.row[tile.index];
    tile.begin = table.nonzero[tile.index];
    const O last_row = table.row[tile.index + 1];
    const Off end = table.nonzero[tile.index + 1];
    tile.nonzeros = static_cast<int>(end - tile.begin);
    tile.ended = static_cast<int>(last_row - tile.first_row);
    tile.leaves = table.cuts_row(operands.row_ptr, operands.rows, tile.index + 1);
    tile.touched = tile.ended + (tile.leaves ? 1 : 0);
    tile.chain_in = table.chain[tile.index];

    S value[ItemsPerThread];
    O column[ItemsPerThread];
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      const int k = team.thread() + i * Threads;
      if (k < tile.nonzeros) {
        column[i] = operands.column(tile.begin + k);
        value[i] = operands.value(tile.begin + k);
      }
    }
    for (int c = 0; c < operands.x.count; ++c) {
      if (c > 0) team.barrier();
      Acc product[ItemsPerThread];
      HEDDLE_UNROLL(ItemsPerThread)
      for (int i = 0; i < ItemsPerThread; ++i) {
        const bool exists = team.thread() + i * Threads < tile.nonzeros;
        product[i] = exists ? operands.product(value[i], column[i], c) : Acc(0);
      }
      if (tile.touched == 1) {
        add_one_row(team, scratch, tile, product, c);
      } else {
        HEDDLE_UNROLL(ItemsPerThread)
        for (int i = 0; i < ItemsPerThread; ++i) {
          const int k = team.thread() + i * Threads;
          if (k < tile.nonzeros) scratch.product(k) = product[i];
        }
        team.barrier();
        add_rows(team, scratch, tile, c);
      }
      link(team, scratch, tile, c);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_one_row(const Team& team, Scratch& scratch, const Tile& tile,
                                               const Acc* product, int c) const {
    Acc sum = product[0];
    for (int i = 1; i < ItemsPerThread; ++i) sum += product[i];
    sum = team_sum(team, scratch, sum);
    if (team.thread() == 0) deliver(scratch, tile, 0, c, sum);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Team& team, Scratch& scratch, const Tile& tile,
                                            int c) const {
    int group = 1;
    while (group < Team::subwarp_width && tile.touched * group * 2 <= Threads) group *= 2;
    const int lane = team.thread() % group;
    const int groups = Threads / group;
    const int rounds = (tile.touched + groups - 1) / groups;
    for (int round = 0; round < rounds; ++round) {
      const int r = round * groups + team.thread() / group;
      Acc sum(0);
      if (r < tile.touched) {
        const Off* row = operands.row_ptr + tile.first_row + r;
        const Off stop = tile.begin + static_cast<Off>(tile.nonzeros);
        const int from = row[0] > tile.begin ? static_cast<int>(row[0] - tile.begin) : 0;
        const int to = row[1] < stop ? static_cast<int>(row[1] - tile.begin) : tile.nonzeros;
        HEDDLE_UNROLL(4)
        for (int k = from + lane; k < to; k += group) sum += scratch.product(k);
      }
      for (int bits = group / 2; bits > 0; bits /= 2) sum += team.subwarp().shuffle_xor(sum, bits);
      if (lane == 0 && r < tile.touched) deliver(scratch, tile, r, c, sum);
    }
  }

  /// Row r of the tile is finished: to y, unless it is cut.
  KOKKOS_FORCEINLINE_FUNCTION void deliver(Scratch& scratch, const Tile& tile, int r, int c,
                                           Acc sum) const {
    if (r == 0 && tile.chain_in >= 0) {
      scratch.entering() = sum;
    } else if (r == tile.ended) {
      scratch.leaving() = sum;
    } else {
      operands.store(static_cast<O>(tile.first_row + r), c, sum);
    }
  }

  /// Leaves the parts of cut rows, and finishes the rows whose last part this was.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void link(const Team& team, Scratch& scratch, const Tile& tile,
                                        int c) const {
    const bool begins_chain = tile.leaves && (tile.ended > 0 || tile.chain_in < 0);
    if (tile.chain_in < 0 && !begins_chain) return;
    team.barrier();
    if (tile.chain_in >= 0) {
      if (team.thread() == 0) table.entering_part(tile.index, c) = scratch.entering();
      arrive(team, scratch, tile.chain_in, tile.first_row, c);
    }
    if (begins_chain) {
      if (team.thread() == 0) table.leaving_part(tile.index, c) = scratch.leaving();
      arrive(team, scratch, static_cast<int>(tile.index),
             static_cast<O>(tile.first_row + tile.ended), c);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void arrive(const Team& team, Scratch& scratch, int chain, O row,
                                          int c) const {
    const int links = table.links[chain];
    int* counter = table.arrived + static_cast<std::int64_t>(chain) * tile_columns + c;
    if (team.thread() == 0) scratch.last = backends::arrive(counter) == links - 1;
    team.barrier();
    if (scratch.last && team.subwarp_index() == 0) {
      const auto subwarp = team.subwarp();
      Acc sum(0);
      for (int i = subwarp.lane(); i < links; i += Team::subwarp_width) {
        sum += i == 0 ? table.leaving_part(chain, c) : table.entering_part(chain + i, c);
      }
      sum = subwarp.sum(sum);
      if (subwarp.lane() == 0) {
        operands.store(row, c, sum);
        *counter = 0;
      }
    }
    team.barrier();
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Acc team_sum(const Team& team, Scratch& scratch, Acc value) const {
    const auto subwarp = team.subwarp();
    value = subwarp.sum(value);
    if (subwarp.lane() == 0) scratch.sum(team.subwarp_index()) = value;
    team.barrier();
    Acc sum(0);
    for (int i = 0; i < Team::subwarps; ++i) sum += scratch.sum(i);
    return sum;
  }
};

}  // namespace heddle::csr
