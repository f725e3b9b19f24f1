// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "../common/share.hpp"
#include "operands.hpp"

namespace heddle::detail::csr {

/// csr/merge and csr/adaptive on a GPU, for several vectors: a team a share. The team puts
/// the share's nonzeros in scratch; then VectorLanes lanes stand side by side over the vectors,
/// each for VectorsPerLane of them, and such a group takes a row, or with others of its subwarp a
/// long one, or with the whole team a share inside one row.
///
/// Deterministic, and one plan runs once at a time, as ShareKernel. Source of the lanes over
/// vectors: C. Yang, A. Buluc and J. Owens, "Design principles for sparse matrix multiplication on
/// the GPU", Euro-Par 2018.
template <class Operands, class Table, int Threads, int ItemsPerThread, int VectorLanes,
          int VectorsPerLane>
struct ShareMultivectorKernel {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  using Share = detail::Share<O, Off>;
  static constexpr int capacity = Threads * ItemsPerThread;
  static constexpr int vectors = VectorLanes * VectorsPerLane;
  static constexpr int groups = Threads / VectorLanes;
  /// A row of more nonzeros in the share is left to a subwarp.
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
    add_up(team, scratch, Share::at(table, team.index()));
  }

  /// The rows of a share, by its team.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, Scratch& scratch,
                                          const Share& share) const {
    stage(team, scratch, share);
    if (team.thread() == 0) scratch.long_rows = 0;
    team.barrier();
    if (share.rows == 1) {
      add_up_one_row(team, scratch, share);
    } else {
      add_up_rows(team, scratch, share);
    }
  }

  /// A whole row of any length, by the whole team.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_long_row(const Team& team, Scratch& scratch,
                                                   O row) const {
    const int lane = team.thread() % VectorLanes;
    Share share = Share::of_rows(operands.row_ptr, row, row);
    share.rows = share.ended = 1;
    Off left = operands.row_ptr[row + 1] - share.origin;
    Sums sums;
    for (int c = 0; c < VectorsPerLane; ++c) sums.of[c] = Acc(0);
    while (true) {
      const bool more = left > static_cast<Off>(capacity);
      share.end = more ? capacity : static_cast<int>(left);
      stage(team, scratch, share);
      team.barrier();
      const Sums part =
          add<groups>(scratch, share.begin + team.thread() / VectorLanes, share.end, lane);
      for (int c = 0; c < VectorsPerLane; ++c) sums.of[c] += part.of[c];
      if (!more) break;
      team.barrier();
      share.origin += static_cast<Off>(capacity);
      left -= static_cast<Off>(capacity);
      share.begin = 0;
    }
    add_up_over_team(team, scratch, share, sums);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Team& team, Scratch& scratch,
                                         const Share& share) const {
    S value[ItemsPerThread];
    O column[ItemsPerThread];
    share.template load<Threads>(operands, team.thread(), value, column);
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      scratch.column[team.thread() + i * Threads] = column[i];
      scratch.value(team.thread() + i * Threads) = value[i];
    }
  }

  /// What a lane has added up of its vectors.
  struct Sums {
    Acc of[VectorsPerLane];
  };

  /// The sums of nonzeros from, from + Step, ... below `to` for vectors lane, lane + VectorLanes,
  /// ...
  template <int Step>
  KOKKOS_FORCEINLINE_FUNCTION Sums add(Scratch& scratch, int from, int to, int lane) const {
    Sums sums;
    for (int c = 0; c < VectorsPerLane; ++c) sums.of[c] = Acc(0);
    for (int k = from; k < to; k += batch * Step) {
      Acc product[batch][VectorsPerLane];
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const int at = k + i * Step;
        const bool inside = at < to;
        // Outside, zero times zero: an infinite entry times zero would be no number.
        const S value = inside ? scratch.value(at) : S(0);
        const O column = inside ? scratch.column[at] : O(0);
        for (int c = 0; c < VectorsPerLane; ++c) {
          const int of = lane + c * VectorLanes;
          product[i][c] = operands.product(value, column, of, inside && of < operands.x.count);
        }
      }
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        for (int c = 0; c < VectorsPerLane; ++c) sums.of[c] += product[i][c];
      }
    }
    return sums;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_rows(const Team& team, Scratch& scratch,
                                               const Share& share) const {
    const int lane = team.thread() % VectorLanes;
    for (int row = team.thread() / VectorLanes; row < share.rows; row += groups) {
      int from, to;
      share.bounds(operands.row_ptr, row, from, to);
      if (to - from <= short_row && !share.finishes(row)) {
        deliver(share, row, lane, add<1>(scratch, from, to, lane));
      } else if (lane == 0) {
        scratch.long_row[backends::atomic_fetch_inc(&scratch.long_rows)] = row;
      }
    }
    team.barrier();
    // The list's order varies from run to run, the sum of each row does not.
    const auto subwarp = team.subwarp();
    constexpr int together = Team::subwarp_width / VectorLanes;
    const int group = subwarp.lane() / VectorLanes;
    for (int i = team.subwarp_index(); i < scratch.long_rows; i += Team::subwarps) {
      const int row = scratch.long_row[i];
      int from, to;
      share.bounds(operands.row_ptr, row, from, to);
      Sums sums = add<together>(scratch, from + group, to, lane);
      if (Table::waits && share.finishes(row)) add_carries(share, group, together, lane, sums);
      add_together(subwarp, sums);
      if (group == 0) deliver(share, row, lane, sums);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_one_row(const Team& team, Scratch& scratch,
                                                  const Share& share) const {
    const int lane = team.thread() % VectorLanes;
    const int group = team.thread() / VectorLanes;
    Sums sums = add<groups>(scratch, share.begin + group, share.end, lane);
    if (Table::waits && share.finishes(0)) add_carries(share, group, groups, lane, sums);
    add_up_over_team(team, scratch, share, sums);
  }

  /// What all groups of the team have of the share's one row.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_over_team(const Team& team, Scratch& scratch,
                                                    const Share& share, Sums& sums) const {
    static_assert(Team::subwarps * vectors <= Threads, "the sums of all subwarps fit in scratch");
    static_assert(Team::threads % backends::max_subwarp_width<typename Team::execution_space> == 0,
                  "sums together are those of whole warps");
    const int lane = team.thread() % VectorLanes;
    const auto subwarp = team.subwarp();
    add_together(subwarp, sums);
    if (subwarp.lane() < VectorLanes) {
      for (int c = 0; c < VectorsPerLane; ++c) {
        scratch.sum(team.subwarp_index() * vectors + lane + c * VectorLanes) = sums.of[c];
      }
    }
    team.barrier();
    if (team.thread() < VectorLanes) {
      for (int c = 0; c < VectorsPerLane; ++c) {
        sums.of[c] = Acc(0);
        for (int i = 0; i < Team::subwarps; ++i) {
          sums.of[c] += scratch.sum(i * vectors + lane + c * VectorLanes);
        }
      }
      deliver(share, 0, lane, sums);
    }
  }

  /// Adds every stride-th part of the row that the share finishes.
  KOKKOS_FORCEINLINE_FUNCTION void add_carries(const Share& share, int first, int stride, int lane,
                                               Sums& sums) const {
    for (int c = 0; c < VectorsPerLane; ++c) {
      const int of = lane + c * VectorLanes;
      if (of < operands.x.count) {
        sums.of[c] += table.carries.collect_all(share.first_share + first, share.index, stride, of);
      }
    }
  }

  /// The sums of all groups of a subwarp. Lanes that waited for carry-outs one by one meet first.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_together(const Subwarp& subwarp, Sums& sums) const {
    subwarp.sync();
    for (int c = 0; c < VectorsPerLane; ++c) {
      sums.of[c] = subwarp.template sum_together<VectorLanes>(sums.of[c]);
    }
  }

  /// What the share has of a row is added up: a whole row goes to y, the part of a row that goes on
  /// to the share that finishes it. By one lane a vector.
  KOKKOS_FORCEINLINE_FUNCTION void deliver(const Share& share, int row, int lane,
                                           const Sums& sums) const {
    for (int c = 0; c < VectorsPerLane; ++c) {
      const int of = lane + c * VectorLanes;
      if (of >= operands.x.count) return;
      if (row == share.ended) {
        table.carries.post(share.index, of, sums.of[c]);
      } else if (!Table::waits && share.finishes(row)) {
        table.carries.post(table.shares + share.index, of, sums.of[c]);
      } else {
        operands.store(static_cast<O>(share.first_row + row), of, sums.of[c]);
      }
    }
  }
};

}  // namespace heddle::detail::csr
