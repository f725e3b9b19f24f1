// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/backends/unroll.hpp>
#include <heddle/formats/csr/operands.hpp>
#include <heddle/formats/csr/tile.hpp>

namespace heddle::csr {

/// csr/merge and csr/adaptive on a GPU, for several columns of x: a team a tile. The team leaves
/// the tile's nonzeros in scratch; then ColumnLanes lanes stand side by side over the columns, each
/// for ColumnsPerLane of them, and such a group takes a row, or with others of its subwarp a long
/// one, or with the whole team a tile inside one row.
///
/// Deterministic, and one plan runs once at a time, as TileKernel. Source of the lanes over
/// columns: C. Yang, A. Buluc and J. Owens, "Design principles for sparse matrix multiplication on
/// the GPU", Euro-Par 2018.
template <class Operands, class Table, int Threads, int ItemsPerThread, int ColumnLanes,
          int ColumnsPerLane>
struct TileColumnsKernel {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  using Tile = csr::Tile<O, Off>;
  static constexpr int capacity = Threads * ItemsPerThread;
  static constexpr int columns = ColumnLanes * ColumnsPerLane;
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
    S value[ItemsPerThread];
    O column[ItemsPerThread];
    tile.template load<Threads>(operands, team.thread(), value, column);
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      scratch.column[team.thread() + i * Threads] = column[i];
      scratch.value(team.thread() + i * Threads) = value[i];
    }
  }

  /// What a lane has added up of its columns.
  struct Sums {
    Acc of[ColumnsPerLane];
  };

  /// The sums of nonzeros from, from + Step, ... below `to` in columns lane, lane + ColumnLanes,
  /// ...
  template <int Step>
  KOKKOS_FORCEINLINE_FUNCTION Sums add(Scratch& scratch, int from, int to, int lane) const {
    Sums sums;
    for (int c = 0; c < ColumnsPerLane; ++c) sums.of[c] = Acc(0);
    for (int k = from; k < to; k += batch * Step) {
      Acc product[batch][ColumnsPerLane];
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const int at = k + i * Step;
        const bool inside = at < to;
        // Outside, zero times zero: an infinite entry times zero would be no number.
        const S value = inside ? scratch.value(at) : S(0);
        const O column = inside ? scratch.column[at] : O(0);
        for (int c = 0; c < ColumnsPerLane; ++c) {
          const int of = lane + c * ColumnLanes;
          product[i][c] = operands.product(value, column, of, inside && of < operands.x.count);
        }
      }
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        for (int c = 0; c < ColumnsPerLane; ++c) sums.of[c] += product[i][c];
      }
    }
    return sums;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_rows(const Team& team, Scratch& scratch,
                                               const Tile& tile) const {
    const int lane = team.thread() % ColumnLanes;
    for (int row = team.thread() / ColumnLanes; row < tile.rows; row += groups) {
      int from, to;
      tile.bounds(operands.row_ptr, row, from, to);
      if (to - from <= short_row && !tile.finishes(row)) {
        deliver(tile, row, lane, add<1>(scratch, from, to, lane));
      } else if (lane == 0) {
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
      Sums sums = add<together>(scratch, from + group, to, lane);
      if (tile.finishes(row)) add_parts(tile, group, together, lane, sums);
      add_together(subwarp, sums);
      if (group == 0) deliver(tile, row, lane, sums);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_one_row(const Team& team, Scratch& scratch,
                                                  const Tile& tile) const {
    static_assert(Team::subwarps * columns <= Threads, "the sums of all subwarps fit in scratch");
    const int lane = team.thread() % ColumnLanes;
    const int group = team.thread() / ColumnLanes;
    Sums sums = add<groups>(scratch, tile.begin + group, tile.end, lane);
    if (tile.finishes(0)) add_parts(tile, group, groups, lane, sums);
    const auto subwarp = team.subwarp();
    add_together(subwarp, sums);
    if (subwarp.lane() < ColumnLanes) {
      for (int c = 0; c < ColumnsPerLane; ++c) {
        scratch.sum(team.subwarp_index() * columns + lane + c * ColumnLanes) = sums.of[c];
      }
    }
    team.barrier();
    if (group == 0) {
      for (int c = 0; c < ColumnsPerLane; ++c) {
        sums.of[c] = Acc(0);
        for (int i = 0; i < Team::subwarps; ++i) {
          sums.of[c] += scratch.sum(i * columns + lane + c * ColumnLanes);
        }
      }
      deliver(tile, 0, lane, sums);
    }
  }

  /// Adds every stride-th part of the row that the tile finishes.
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(const Tile& tile, int first, int stride, int lane,
                                             Sums& sums) const {
    for (int c = 0; c < ColumnsPerLane; ++c) {
      const int of = lane + c * ColumnLanes;
      if (of < operands.x.count) {
        sums.of[c] += table.parts.take_all(tile.chain + first, tile.index, stride, of);
      }
    }
  }

  /// The sums of all groups of a subwarp. Lanes that waited for parts one by one meet first.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_together(const Subwarp& subwarp, Sums& sums) const {
    subwarp.sync();
    for (int c = 0; c < ColumnsPerLane; ++c) {
      sums.of[c] = subwarp.template sum_together<ColumnLanes>(sums.of[c]);
    }
  }

  /// What the tile has of a row is added up: a whole row goes to y, the part of a row that goes on
  /// to the tile that finishes it. By one lane a column.
  KOKKOS_FORCEINLINE_FUNCTION void deliver(const Tile& tile, int row, int lane,
                                           const Sums& sums) const {
    for (int c = 0; c < ColumnsPerLane; ++c) {
      const int of = lane + c * ColumnLanes;
      if (of >= operands.x.count) return;
      if (row == tile.ended) {
        table.parts.leave(tile.index, of, sums.of[c]);
      } else {
        operands.store(static_cast<O>(tile.first_row + row), of, sums.of[c]);
      }
    }
  }
};

}  // namespace heddle::csr
