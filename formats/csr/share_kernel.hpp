// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "../common/share.hpp"
#include "operands.hpp"

namespace heddle::detail::csr {

/// csr/merge and csr/adaptive on a GPU, for one vector: a team a share. The team multiplies the
/// share's nonzeros in the order they lie in memory and puts the products into scratch; then groups
/// of lanes, as many a row as the share has threads to spare, add up the rows, and whole subwarps
/// the rows that are too long for a group. A share inside one long row is added up by the whole
/// team at once.
///
/// Deterministic: the carry-outs of a cut row are added in an order that the shares fix. They lie
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

  /// One place skipped every 16 keeps rows of 2^n nonzeros off each other's banks.
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

  /// Of the rows that a team stores, all that end in its share.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return table.edges[team].row;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    add_up(team, scratch, Share::at(table, team.index()));
  }

  /// The rows of a share, by its team.
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

  /// A whole row of any length, by the whole team. The columns of the next nonzeros are under way
  /// together with the x of these, so that a round waits for memory once.
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
  /// Whether a thread's i-th nonzero is below the count.
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
    // Lanes a row: 2^bits, as many as leave a group for every row, up to a subwarp.
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

  /// A row by a subwarp, which also collects the carry-outs of a row to finish.
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

  /// Every stride-th carry-out of the row that the share finishes. Lanes end their waits one by
  /// one, and meet again, since lanes that are not in step take far longer to exchange their sums.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION Acc collect_carries(const Subwarp& subwarp, const Share& share,
                                                  int first, int stride) const {
    const Acc sum = table.carries.collect_all(share.first_share + first, share.index, stride, 0);
    subwarp.sync();
    return sum;
  }

  /// What the share has of a row is added up: a whole row goes to y, the part of a row that goes on
  /// to the share that finishes it. By one lane.
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

}  // namespace heddle::detail::csr
