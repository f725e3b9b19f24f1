// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "../common/share.hpp"
#include "operands.hpp"
#include "share_search.hpp"

namespace heddle::detail::csr {

/// csr/merge and csr/adaptive on a GPU, for one vector: a team a share. The team multiplies the
/// share's nonzeros in their order in memory and stages the products in scratch. Then groups of
/// lanes, as many lanes a row as the share has threads to spare, add up the rows, and whole
/// subwarps the rows that are too long for a group. The whole team adds up a share inside one long
/// row.
///
/// Deterministic: the carry-outs of a cut row are added in an order that the shares fix. They are
/// in the plan, so one plan runs once at a time. Sources: D. Merrill and M. Garland (SC 2016) for
/// the cuts; J. Greathouse and M. Daga, "Efficient sparse matrix-vector multiplication on GPUs
/// using the CSR storage format" (SC 2014) for products staged in scratch.
template <class Operands, class Table, int Threads, int ItemsPerThread>
struct ShareKernel {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  using Share = detail::Share<O, Off>;
  static constexpr int capacity = Threads * ItemsPerThread;
  /// A group leaves a row of more than this many nonzeros a lane to a subwarp.
  static constexpr int most_per_lane = 24;

  /// Padding of one place every 16 avoids bank conflicts between rows of 2^n nonzeros.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int padded(int k) { return k + (k >> 4); }

  struct Scratch {
    // Raw bytes, since complex types have constructors that scratch must not run.
    alignas(16) unsigned char product_bytes[sizeof(Acc) * (padded(capacity) + 1)];
    int long_rows;
    int long_row[capacity / most_per_lane + 1];

    KOKKOS_FORCEINLINE_FUNCTION Acc& at(int place) {
      return reinterpret_cast<Acc*>(product_bytes)[place];
    }
    KOKKOS_FORCEINLINE_FUNCTION Acc& product(int k) { return at(padded(k)); }
  };

  Operands operands;
  Table table;

  /// The first row that a team stores: it stores all rows that end in its share.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return table.edges[team].row;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    add_up(team, scratch, Share::at(table, team.index()));
  }

  /// Adds up the rows of a share with its team.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, Scratch& scratch,
                                          const Share& share) const {
    S value[ItemsPerThread];
    O column[ItemsPerThread];
    const int items = share.template load<Threads>(operands, team.thread(), value, column);
    Acc product[ItemsPerThread];
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      product[i] = operands.product(value[i], column[i], 0, i < items);
    }
    // The first cache line may begin with nonzeros of the share before.
    if (team.thread() < share.begin) product[0] = Acc(0);
    if (share.rows == 1) {
      Acc sum = product[0];
      for (int i = 1; i < ItemsPerThread; ++i) sum += product[i];
      add_up_one_row(team, scratch, share, sum);
      return;
    }
    const int place = padded(team.thread());
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) scratch.at(place + i * padded(Threads)) = product[i];
    add_up_rows(team, scratch, share);
  }

  /// Adds up a whole row of any length with the whole team. The columns of the next nonzeros are
  /// loaded together with the x of these, so that a round waits for memory once.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_long_row(const Team& team, Scratch& scratch,
                                                   O row) const {
    const Off from = operands.row_ptr[row];
    int begin = static_cast<int>(from % static_cast<Off>(share_alignment));
    Off origin = from - static_cast<Off>(begin);
    Off left = operands.row_ptr[row + 1] - origin;
    O column[ItemsPerThread];
    load_columns(team.thread(), origin, left, column);
    Acc sum(0);
    while (true) {
      const bool more = left > static_cast<Off>(capacity);
      S value[ItemsPerThread];
      Acc product[ItemsPerThread];
      const auto nonzeros = operands.from(origin + static_cast<Off>(team.thread()));
      HEDDLE_UNROLL(ItemsPerThread)
      for (int i = 0; i < ItemsPerThread; ++i) {
        value[i] = nonzeros.value_once(i * Threads, is_left(team.thread(), i, left));
      }
      HEDDLE_UNROLL(ItemsPerThread)
      for (int i = 0; i < ItemsPerThread; ++i) {
        product[i] = operands.product(value[i], column[i], 0, is_left(team.thread(), i, left));
      }
      if (more) {
        origin += static_cast<Off>(capacity);
        left -= static_cast<Off>(capacity);
        load_columns(team.thread(), origin, left, column);
      }
      if (team.thread() < begin) product[0] = Acc(0);
      begin = 0;
      HEDDLE_UNROLL(ItemsPerThread)
      for (int i = 0; i < ItemsPerThread; ++i) sum += product[i];
      if (!more) break;
    }
    Share share = Share::of_rows(operands.row_ptr, row, row);
    share.rows = share.ended = 1;
    add_up_one_row(team, scratch, share, sum);
  }

 private:
  /// Whether a thread's i-th nonzero is among the `left` ones.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_left(int thread, int i, Off left) {
    return static_cast<Off>(thread + i * Threads) < left;
  }

  KOKKOS_FORCEINLINE_FUNCTION void load_columns(int thread, Off origin, Off left,
                                                O (&column)[ItemsPerThread]) const {
    const auto nonzeros = operands.from(origin + static_cast<Off>(thread));
    HEDDLE_UNROLL(ItemsPerThread)
    for (int i = 0; i < ItemsPerThread; ++i) {
      column[i] = nonzeros.column_once(i * Threads, is_left(thread, i, left));
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_one_row(const Team& team, Scratch& scratch,
                                                  const Share& share, Acc sum) const {
    const auto subwarp = team.subwarp();
    if (Table::waits && share.finishes(0))
      sum += collect_carries(subwarp, share, team.thread(), Threads);
    sum = subwarp.sum(sum);
    if (subwarp.lane() == 0) scratch.at(team.subwarp_index()) = sum;
    team.barrier();
    if (team.subwarp_index() == 0) {
      Acc total(0);
      if (subwarp.lane() < Team::subwarps) total = scratch.at(subwarp.lane());
      total = subwarp.sum(total);
      if (subwarp.lane() == 0) deliver(share, 0, total);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_rows(const Team& team, Scratch& scratch,
                                               const Share& share) const {
    const auto subwarp = team.subwarp();
    const int rows = share.rows;
    // Lanes for each row: 2^bits, as many as leave a group for every row, up to a subwarp.
    int bits = 0;
    for (int lanes = 2; lanes <= Team::subwarp_width; lanes *= 2) bits += rows * lanes <= Threads;
    const bool subwarp_per_row = 1 << bits == Team::subwarp_width;
    int row = team.thread() >> bits;
    int from, to;
    share.bounds(operands.row_ptr, row, from, to);
    if (team.thread() == 0) scratch.long_rows = subwarp_per_row ? rows : 0;
    team.barrier();
    if (!subwarp_per_row) {
      const int lanes = 1 << bits;
      const int groups = Threads >> bits;
      const int lane = team.thread() & (lanes - 1);
      for (int round = 0; round < rows; round += groups) {
        const bool short_row = to - from <= most_per_lane * lanes;
        Acc sum(0);
        if (short_row) {
          for (int k = from + lane; k < to; k += lanes) sum += scratch.product(k);
        }
        for (int bit = lanes / 2; bit > 0; bit /= 2) sum += subwarp.shuffle_xor(sum, bit);
        if (lane == 0 && row < rows) {
          if (short_row && !share.finishes(row)) {
            deliver(share, row, sum);
          } else {
            scratch.long_row[backends::atomic_fetch_inc(&scratch.long_rows)] = row;
          }
        }
        row += groups;
        share.bounds(operands.row_ptr, row, from, to);
      }
      team.barrier();
    }
    // The list's order varies from run to run, the sum of each row does not.
    for (int i = team.subwarp_index(); i < scratch.long_rows; i += Team::subwarps) {
      if (!subwarp_per_row) {
        row = scratch.long_row[i];
        share.bounds(operands.row_ptr, row, from, to);
      }
      add_up_row(subwarp, scratch, share, row, from, to);
    }
  }

  /// Adds up a row with a subwarp, and collects the carry-outs if the share finishes the row.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_row(const Subwarp& subwarp, Scratch& scratch,
                                              const Share& share, int row, int from, int to) const {
    Acc sum(0);
    for (int k = from + subwarp.lane(); k < to; k += Subwarp::width) sum += scratch.product(k);
    if (Table::waits && share.finishes(row))
      sum += collect_carries(subwarp, share, subwarp.lane(), Subwarp::width);
    sum = subwarp.sum(sum);
    if (subwarp.lane() == 0) deliver(share, row, sum);
  }

  /// Sum of every stride-th carry-out of the row that the share finishes. Lanes end their waits one
  /// by one and reconverge, since divergent lanes exchange their sums far more slowly.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION Acc collect_carries(const Subwarp& subwarp, const Share& share,
                                                  int first, int stride) const {
    const Acc sum = table.carries.collect_all(share.first_share + first, share.index, stride, 0);
    subwarp.sync();
    return sum;
  }

  /// Delivers the share's complete sum of a row: a whole row goes to y, the part of a row that goes
  /// on is posted for the share that finishes it. Called by one lane.
  KOKKOS_FORCEINLINE_FUNCTION void deliver(const Share& share, int row, const Acc& sum) const {
    if (row == share.ended) {
      table.carries.post(share.index, 0, sum);
    } else if (!Table::waits && share.finishes(row)) {
      table.carries.post(table.shares + share.index, 0, sum);
    } else {
      operands.store(static_cast<O>(share.first_row + row), 0, sum);
    }
  }
};

/// Replaces the table of kernels of shares if no share cuts a row.
template <Scalar Acc>
struct WholeRows {
  static constexpr bool waits = false;

  struct NoCarries {
    KOKKOS_FORCEINLINE_FUNCTION void post(std::int64_t, int, const Acc&) const {}
    KOKKOS_FORCEINLINE_FUNCTION Acc collect_all(int, int, int, int) const { return Acc(0); }
  };
  static constexpr std::int64_t shares = 0;
  NoCarries carries;
};

/// csr/merge,search=apply on a GPU: a team a share. Two subwarps search for the edges of the share,
/// and the team adds up its rows as those of any share. If the last row reaches beyond what a team
/// stages, the whole team adds up that row after the others, however long it is.
///
/// Deterministic; keeps nothing, and never waits. Shares is ShareKernel or ShareMultivectorKernel.
/// Sources: those of ShareKernel; D. Merrill and M. Garland (SC 2016) search for cuts inside the
/// kernel too, and also cut rows.
template <class Shares>
struct SearchedShareKernel {
  using O = typename Shares::O;
  using Off = typename Shares::Off;

  struct Scratch {
    typename Shares::Scratch share;
    O edge[2];
  };

  Shares shares;
  ShareSearch search;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    static_assert(Team::subwarps >= 2);
    const Off* const row_ptr = shares.operands.row_ptr;
    if (team.subwarp_index() < 2) {
      const auto subwarp = team.subwarp();
      const O row = search.first_row(subwarp, row_ptr, shares.operands.rows,
                                     team.index() + team.subwarp_index());
      if (subwarp.lane() == 0) scratch.edge[team.subwarp_index()] = row;
    }
    team.barrier();
    const O first = scratch.edge[0], stop = scratch.edge[1];
    if (first == stop) return;
    const Off begin = row_ptr[first];
    const Off origin = begin - begin % static_cast<Off>(share_alignment);
    const bool fits = row_ptr[stop] - origin <= static_cast<Off>(Shares::capacity);
    const O staged = fits ? stop : stop - 1;
    if (first < staged) {
      shares.add_up(team, scratch.share, Share<O, Off>::of_rows(row_ptr, first, staged));
      if (!fits) team.barrier();
    }
    if (!fits) shares.add_up_long_row(team, scratch.share, staged);
  }
};

/// csr/merge and csr/adaptive on a GPU, for several vectors: a team a share. The team stages the
/// share's nonzeros in scratch. Each group of VectorLanes lanes covers the vectors, VectorsPerLane
/// for each lane. A group adds up a row, the groups of a subwarp together a long row, and the whole
/// team a share inside one row.
///
/// Deterministic, and one plan runs once at a time, like ShareKernel. Source of the lanes over
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

  /// Adds up the rows of a share with its team.
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

  /// Adds up a whole row of any length with the whole team.
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

  /// Sums of a lane for its vectors.
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
        // Outside the row zero is multiplied by zero: an infinite entry times zero would be NaN.
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

  /// Adds up the sums of all groups of the team for the share's only row, and delivers the total.
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

  /// Adds every stride-th carry-out of the row that the share finishes.
  KOKKOS_FORCEINLINE_FUNCTION void add_carries(const Share& share, int first, int stride, int lane,
                                               Sums& sums) const {
    for (int c = 0; c < VectorsPerLane; ++c) {
      const int of = lane + c * VectorLanes;
      if (of < operands.x.count) {
        sums.of[c] += table.carries.collect_all(share.first_share + first, share.index, stride, of);
      }
    }
  }

  /// Adds up the sums of a subwarp's groups. Lanes that waited for carry-outs reconverge first.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_together(const Subwarp& subwarp, Sums& sums) const {
    subwarp.sync();
    for (int c = 0; c < VectorsPerLane; ++c) {
      sums.of[c] = subwarp.template sum_together<VectorLanes>(sums.of[c]);
    }
  }

  /// Delivers the share's complete sum of a row: a whole row goes to y, the part of a row that goes
  /// on is posted for the share that finishes it. Called by one lane for each vector.
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
