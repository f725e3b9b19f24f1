// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/backends/unroll.hpp>
#include <heddle/formats/csr/operands.hpp>
#include <heddle/formats/csr/tile.hpp>

namespace heddle::csr {

/// csr/merge and csr/adaptive on a GPU, for columns of x that lie side by side: a team a tile. The
/// team leaves the tile's nonzeros in scratch; then ColumnLanes lanes stand side by side over the
/// columns, and such a group takes a row, or with others of its subwarp a long one, or with the
/// whole team a tile inside one row.
///
/// Deterministic, and one plan runs once at a time, as TileKernel. Source of the lanes over
/// columns: C. Yang, A. Buluc and J. Owens, "Design principles for sparse matrix multiplication on
/// the GPU", Euro-Par 2018.
template <class Operands, class Table, int Threads, int ItemsPerThread, int ColumnLanes>
struct TileColumnsKernel {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  using Tile = csr::Tile<O, Off>;
  static constexpr int capacity = Threads * ItemsPerThread;
  static constexpr int groups = Threads / ColumnLanes;
  /// A row of more nonzeros in the tile is left to a subwarp.
  static constexpr int short_row = 48;
  /// Nonzeros whose x is loaded at once.
  static constexpr int batch = 4;

  struct Scratch {
    // Raw bytes, since complex types have constructors that scratch must not run.
    alignas(16) unsigned char value_bytes[sizeof(S) * capacity];
    alignas(16) unsigned char sum_bytes[sizeof(Acc) * Threads];
    O column[capacity];
    int long_rows;
    int long_row[capacity / short_row + 2];

    KOKKOS_FORCEINLINE_FUNCTION S& value(int k) { return reinterpret_cast<S*>(value_bytes)[k]; }
    KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int i) { return reinterpret_cast<Acc*>(sum_bytes)[i]; }
  };

  Operands operands;
  Table table;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const Tile tile = Tile::at(table, team.index());
    stage(team, scratch, tile);
    if (team.thread() == 0) scratch.long_rows = 0;
    team.barrier();
    if (tile.rows == 1) {
      add_up_one_row(team, scratch, tile);
    } else {
      add_up_rows(team, scratch, tile);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Team& team, Scratch& scratch,
                                         const Tile& tile) const {
    const int items = (tile.end - team.thread() + Threads - 1) / Threads;
    const auto nonzeros = operands.from(tile.origin + static_cast<Off>(team.thread()));
    S value[ItemsPerThread];
    O column[ItemsPerThread];
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      column[i] = nonzeros.column_once(i * Threads, i < items);
      value[i] = nonzeros.value_once(i * Threads, i < items);
    }
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      scratch.column[team.thread() + i * Threads] = column[i];
      scratch.value(team.thread() + i * Threads) = value[i];
    }
  }

  /// The sum of nonzeros from, from + Step, ... below `to` in this lane's column.
  template <int Step>
  KOKKOS_FORCEINLINE_FUNCTION Acc add(Scratch& scratch, int from, int to, int c) const {
    const bool wanted = c < operands.x.count;
    Acc sum(0);
    for (int k = from; k < to; k += batch * Step) {
      Acc product[batch];
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const int at = k + i * Step;
        const bool inside = at < to;
        const int place = inside ? at : from;
        product[i] =
            operands.product(scratch.value(place), scratch.column[place], c, wanted && inside);
      }
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) sum += product[i];
    }
    return sum;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_rows(const Team& team, Scratch& scratch,
                                               const Tile& tile) const {
    const int c = team.thread() % ColumnLanes;
    for (int row = team.thread() / ColumnLanes; row < tile.rows; row += groups) {
      int from, to;
      tile.bounds(operands.row_ptr, row, from, to);
      if (to - from <= short_row && !tile.finishes(row)) {
        deliver(tile, row, c, add<1>(scratch, from, to, c));
      } else if (c == 0) {
        scratch.long_row[Kokkos::atomic_fetch_inc(&scratch.long_rows)] = row;
      }
    }
    team.barrier();
    // The list's order varies from run to run, the sum of each row does not.
    const auto subwarp = team.subwarp();
    constexpr int together = Team::subwarp_width / ColumnLanes;
    const int group = subwarp.lane() / ColumnLanes;
    for (int i = team.subwarp_index(); i < scratch.long_rows; i += Team::subwarps) {
      const int row = scratch.long_row[i];
      int from, to;
      tile.bounds(operands.row_ptr, row, from, to);
      Acc sum = add<together>(scratch, from + group, to, c);
      if (tile.finishes(row)) sum += take_parts(tile, group, together, c);
      subwarp.sync();
      sum = subwarp.template sum_together<ColumnLanes>(sum);
      if (group == 0) deliver(tile, row, c, sum);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_one_row(const Team& team, Scratch& scratch,
                                                  const Tile& tile) const {
    const int c = team.thread() % ColumnLanes;
    const int group = team.thread() / ColumnLanes;
    Acc sum = add<groups>(scratch, tile.begin + group, tile.end, c);
    if (tile.finishes(0)) sum += take_parts(tile, group, groups, c);
    const auto subwarp = team.subwarp();
    subwarp.sync();
    sum = subwarp.template sum_together<ColumnLanes>(sum);
    if (subwarp.lane() < ColumnLanes) scratch.sum(team.subwarp_index() * ColumnLanes + c) = sum;
    team.barrier();
    if (group == 0) {
      Acc total(0);
      for (int i = 0; i < Team::subwarps; ++i) total += scratch.sum(i * ColumnLanes + c);
      deliver(tile, 0, c, total);
    }
  }

  /// Every stride-th part of the row that the tile finishes.
  KOKKOS_FORCEINLINE_FUNCTION Acc take_parts(const Tile& tile, int first, int stride, int c) const {
    if (c >= operands.x.count) return Acc(0);
    return table.parts.take_all(tile.chain + first, tile.index, stride, c);
  }

  /// What the tile has of a row is added up: a whole row goes to y, the part of a row that goes on
  /// to the tile that finishes it. By one lane a column.
  KOKKOS_FORCEINLINE_FUNCTION void deliver(const Tile& tile, int row, int c, const Acc& sum) const {
    if (c >= operands.x.count) return;
    if (row == tile.ended) {
      table.parts.leave(tile.index, c, sum);
    } else {
      operands.store(static_cast<O>(tile.first_row + row), c, sum);
    }
  }
};

}  // namespace heddle::csr
