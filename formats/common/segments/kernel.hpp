// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <utility>

#include "../../../backends/launch.hpp"
#include "../../../backends/unroll.hpp"
#include "../../../core/types.hpp"
#include "../equal_work.hpp"
#include "../share.hpp"
#include "tuning.hpp"

/// Kernels of segmented sums over shares of equal work. Scratch is raw bytes, since complex types
/// have constructors that it must not run.
namespace heddle::detail::segments {

/// Results that the subwarps of a team exchange: the sums of their last runs, and whether these
/// began in an earlier subwarp.
template <Scalar Acc, int Threads, int Vectors>
struct ScratchOfSubwarps {
  /// No warp or wavefront is narrower than 32.
  static constexpr int subwarps = Threads / 32;

  alignas(16) unsigned char last_bytes[sizeof(Acc) * subwarps * Vectors];
  int goes_on[subwarps];

  KOKKOS_FORCEINLINE_FUNCTION Acc& last(int i) { return reinterpret_cast<Acc*>(last_bytes)[i]; }
};

/// Scratch for one vector: the products of the share, then the sums of its rows.
template <Scalar Acc, int Threads, int Items>
struct ScratchOfProducts : ScratchOfSubwarps<Acc, Threads, 1> {
  static constexpr int capacity = Threads * Items;

  /// Padding of one place every 16 avoids bank conflicts between threads that read chunks of 2^n.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int padded(int k) { return k + (k >> 4); }

  alignas(16) unsigned char product_bytes[sizeof(Acc) * (padded(capacity) + 1)];

  KOKKOS_FORCEINLINE_FUNCTION Acc& product(int k) {
    return reinterpret_cast<Acc*>(product_bytes)[padded(k)];
  }
};

/// Scratch for several vectors: the nonzeros of the share, and which of its rows have any.
template <Scalar S, Ordinal O, Scalar Acc, int Threads, int Items, int Vectors>
struct ScratchOfNonzeros : ScratchOfSubwarps<Acc, Threads, Vectors> {
  static constexpr int capacity = Threads * Items;

  alignas(16) unsigned char value_bytes[sizeof(S) * capacity];
  alignas(16) unsigned char first_bytes[sizeof(Acc) * Vectors];
  O column[capacity];
  unsigned char reached[capacity];

  KOKKOS_FORCEINLINE_FUNCTION S& value(int k) { return reinterpret_cast<S*>(value_bytes)[k]; }
  /// The share's part of its first row, if an earlier share began that row.
  KOKKOS_FORCEINLINE_FUNCTION Acc& first(int vector) {
    return reinterpret_cast<Acc*>(first_bytes)[vector];
  }
};

/// Segmented sums on a GPU: a team a share. Groups of VectorLanes lanes, each lane with its own
/// vectors, each add up a chunk of the share's nonzeros run by run; a run is consecutive nonzeros
/// of one row. A segmented sum over the lanes and then over the subwarps carries runs from chunk to
/// chunk. Row pointers are not read.
///
/// Target provides x and y: `entry` and `product` of a nonzero, and `store(row, vector, sum)`,
/// called once for every row of the matrix, with a zero for one without entries.
///
/// With one vector, products are formed in the order of nonzeros in memory and sums are stored in
/// the order of rows, both staged in scratch. With several vectors, columns and values are staged.
///
/// Deterministic: the shares fix the order of every sum. Carry-outs are in the plan, so one plan
/// runs once at a time. Sources: N. Bell and M. Garland (SC 2009) for the segmented sum, S.
/// Sengupta et al., "Scan primitives for GPU computing" (2007) for adding up serially in a thread
/// first, D. Merrill and M. Garland (SC 2016) for the shares.
template <class View, class Target, class Table, int Threads, int Items, int VectorLanes,
          int VectorsPerLane>
struct ShareKernel {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using LocalRow = typename View::local_row_type;
  using Acc = typename Target::accumulator_type;
  using Share = detail::Share<O, Off>;
  static constexpr int vectors = VectorLanes * VectorsPerLane;
  static constexpr bool one_vector = vectors == 1;
  static constexpr int groups = Threads / VectorLanes;
  /// Nonzeros whose products are in flight together.
  static constexpr int batch = one_vector ? Items : 4;
  using Scratch = std::conditional_t<one_vector, ScratchOfProducts<Acc, Threads, Items>,
                                     ScratchOfNonzeros<S, O, Acc, Threads, Items, vectors>>;

  View A;
  Target target;
  Table table;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    static_assert(vectors <= Team::subwarp_width && Team::subwarps <= Scratch::subwarps);
    const Share share = Share::at(table, team.index());
    stage(team, scratch, share);
    team.barrier();
    add_up(team, scratch, share);
    team.barrier();
    hand_over_rest(team, scratch, share);
    // This is last, since other teams wait for the carry-out of this share.
    if (share.first_share >= 0 && team.subwarp_index() == 0) finish(team, scratch, share);
  }

 private:
  /// The sums of a lane for its vectors.
  struct Sums {
    Acc of[VectorsPerLane];
    KOKKOS_FORCEINLINE_FUNCTION static Sums zero() {
      Sums sums;
      for (int c = 0; c < VectorsPerLane; ++c) sums.of[c] = Acc(0);
      return sums;
    }
    KOKKOS_FORCEINLINE_FUNCTION void add(const Sums& other) {
      for (int c = 0; c < VectorsPerLane; ++c) of[c] += other.of[c];
    }
  };

  /// Local rows as one load.
  struct alignas(sizeof(LocalRow) * batch) LocalRows {
    LocalRow row[batch];
  };

  /// The first and last runs of a chunk. The first may begin in an earlier chunk, the last may go
  /// on in a later one. Both are the same if the chunk holds no other row; -1 if it is empty.
  struct Runs {
    int first_row;
    int last_row;
    Sums first;
    Sums last;
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Team& team, Scratch& scratch,
                                         const Share& share) const {
    S value[Items];
    O column[Items];
    const int items = share.template load<Threads>(A, team.thread(), value, column);
    if constexpr (one_vector) {
      Acc product[Items];
      HEDDLE_UNROLL(Items)
      for (int i = 0; i < Items; ++i) {
        product[i] = target.product(target.entry(value[i]), column[i], 0, i < items);
      }
      // The sums are stored after the products.
      HEDDLE_UNROLL(Items)
      for (int i = 0; i < Items; ++i) {
        if (i < items) scratch.product(team.thread() + i * Threads) = product[i];
      }
      for (int row = team.thread(); row < share.rows; row += Threads) {
        scratch.product(share.end + row) = Acc(0);
      }
    } else {
      HEDDLE_UNROLL(Items)
      for (int i = 0; i < Items; ++i) {
        scratch.column[team.thread() + i * Threads] = column[i];
        scratch.value(team.thread() + i * Threads) = target.entry(value[i]);
      }
      for (int row = team.thread(); row < share.rows; row += Threads) scratch.reached[row] = 0;
      if (team.thread() < vectors) scratch.first(team.thread()) = Acc(0);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, Scratch& scratch,
                                          const Share& share) const {
    const int lane = team.thread() % VectorLanes;
    const int chunk = one_vector ? Items : ceil_div(share.end, groups * batch) * batch;
    const int place = team.thread() / VectorLanes * chunk;
    const int from = place > share.begin ? place : share.begin;
    const int to = place + chunk < share.end ? place + chunk : share.end;
    const LocalRow* const rows = A.local_row + share.origin;
    const int row_before = from < to && from > share.begin ? static_cast<int>(rows[from - 1]) : -1;
    const int row_after = from < to && to < share.end ? static_cast<int>(rows[to]) : -1;
    const Runs runs = add_up_chunk(scratch, share, rows, place, from, to, lane);

    const auto subwarp = team.subwarp();
    const bool several = runs.first_row != runs.last_row;
    const bool begins = several || runs.first_row != row_before;  // the last run, in this chunk
    const std::uint64_t begun = subwarp.ballot(begins);
    Sums through, before;  // sums of the last run up to this chunk, and up to the one before
    for (int c = 0; c < VectorsPerLane; ++c) {
      through.of[c] = subwarp.template segmented_sum<VectorLanes>(runs.last.of[c], begins);
      before.of[c] = subwarp.shuffle_up(through.of[c], VectorLanes);
      if (subwarp.lane() < VectorLanes) before.of[c] = Acc(0);
    }
    const Sums carried = carry_over_subwarps(team, scratch, lane, begun, through);
    // Lanes of a group vote alike, so that the bits below this lane's are those of earlier groups.
    const std::uint64_t below = (std::uint64_t{1} << (subwarp.lane() - lane)) - 1;
    if ((begun & below) == 0) before.add(carried);
    if ((begun & below) == 0 && !begins) through.add(carried);
    if (several) {
      Sums sums = runs.first;
      if (row_before == runs.first_row) sums.add(before);
      deliver(scratch, share, runs.first_row, lane, sums);
    }
    if (runs.last_row >= 0 && row_after != runs.last_row) {
      deliver(scratch, share, runs.last_row, lane, through);
    }
  }

  /// Adds up nonzeros [from, to) of a chunk that begins at `place`, and delivers the rows between
  /// the first and the last.
  KOKKOS_FORCEINLINE_FUNCTION Runs add_up_chunk(Scratch& scratch, const Share& share,
                                                const LocalRow* rows, int place, int from, int to,
                                                int lane) const {
    Runs runs{-1, -1, Sums::zero(), Sums::zero()};
    for (int k = place; k < to; k += batch) {
      const LocalRows row = *reinterpret_cast<const LocalRows*>(rows + k);
      Acc product[batch][VectorsPerLane];
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) products(scratch, k + i, k + i < to, lane, product[i]);
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        if (k + i < from || k + i >= to) continue;
        const int next = row.row[i];
        if (next != runs.last_row) {
          if (runs.last_row < 0) {
            runs.first_row = next;
          } else if (runs.last_row == runs.first_row) {
            runs.first = runs.last;
          } else {
            deliver(scratch, share, runs.last_row, lane, runs.last);
          }
          runs.last_row = next;
          runs.last = Sums::zero();
        }
        for (int c = 0; c < VectorsPerLane; ++c) runs.last.of[c] += product[i][c];
      }
    }
    return runs;
  }

  KOKKOS_FORCEINLINE_FUNCTION void products(Scratch& scratch, int k, bool inside, int lane,
                                            Acc* product) const {
    if constexpr (one_vector) {
      product[0] = inside ? scratch.product(k) : Acc(0);
    } else {
      // Outside the share zero is multiplied by zero: an infinite entry times zero would be NaN.
      const S value = inside ? scratch.value(k) : S(0);
      const O column = inside ? scratch.column[k] : O(0);
      for (int c = 0; c < VectorsPerLane; ++c) {
        const int of = lane + c * VectorLanes;
        product[c] = target.product(value, column, of, inside && of < target.x.count);
      }
    }
  }

  /// The sum that the last runs of earlier subwarps add to a run that goes on into this one.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Sums carry_over_subwarps(const Team& team, Scratch& scratch, int lane,
                                                       std::uint64_t begun,
                                                       const Sums& through) const {
    const auto subwarp = team.subwarp();
    if (subwarp.lane() >= Team::subwarp_width - VectorLanes) {
      for (int c = 0; c < VectorsPerLane; ++c) {
        scratch.last(team.subwarp_index() * vectors + lane + c * VectorLanes) = through.of[c];
      }
    }
    if (subwarp.lane() == 0) scratch.goes_on[team.subwarp_index()] = begun == 0;
    team.barrier();
    Sums carried = Sums::zero();
    for (int i = 0; i < team.subwarp_index(); ++i) {
      if (!scratch.goes_on[i]) carried = Sums::zero();
      for (int c = 0; c < VectorsPerLane; ++c) {
        carried.of[c] += scratch.last(i * vectors + lane + c * VectorLanes);
      }
    }
    return carried;
  }

  /// Delivers the complete sum of the share for a row that has entries in it.
  KOKKOS_FORCEINLINE_FUNCTION void deliver(Scratch& scratch, const Share& share, int row, int lane,
                                           const Sums& sums) const {
    if constexpr (one_vector) {
      scratch.product(share.end + row) = sums.of[0];
    } else {
      if (lane == 0) scratch.reached[row] = 1;
      for (int c = 0; c < VectorsPerLane; ++c) {
        hand_over(scratch, share, row, lane + c * VectorLanes, sums.of[c]);
      }
    }
  }

  /// Hands over the remaining rows: all rows with one vector, else those without entries.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void hand_over_rest(const Team& team, Scratch& scratch,
                                                  const Share& share) const {
    const int lane = team.thread() % VectorLanes;
    for (int row = team.thread() / VectorLanes; row < share.rows; row += groups) {
      if constexpr (one_vector) {
        hand_over(scratch, share, row, 0, scratch.product(share.end + row));
      } else if (!scratch.reached[row] && !share.finishes(row)) {
        for (int c = 0; c < VectorsPerLane; ++c) {
          hand_over(scratch, share, row, lane + c * VectorLanes, Acc(0));
        }
      }
    }
  }

  /// A whole row goes to the target, the part of a row that goes on to the share that finishes it,
  /// and the end of a row that began in an earlier share waits in scratch.
  KOKKOS_FORCEINLINE_FUNCTION void hand_over(Scratch& scratch, const Share& share, int row,
                                             int vector, const Acc& sum) const {
    if (vector >= target.x.count) return;
    if (row == share.ended) {
      table.carries.post(share.index, vector, sum);
    } else if (share.finishes(row)) {
      if constexpr (!one_vector) scratch.first(vector) = sum;
    } else {
      target.store(static_cast<O>(share.first_row + row), vector, sum);
    }
  }

  /// Finishes the share's first row, by one subwarp, with the carry-outs of the shares before.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Team& team, Scratch& scratch,
                                          const Share& share) const {
    static_assert(Team::threads % backends::max_subwarp_width<typename Team::execution_space> == 0,
                  "sums together are those of whole warps");
    const auto subwarp = team.subwarp();
    const int vector = subwarp.lane() % vectors;
    const int part = subwarp.lane() / vectors;
    const bool wanted = vector < target.x.count;
    if constexpr (Table::waits) {
      Acc carried(0);
      if (wanted) {
        carried = table.carries.collect_all(share.first_share + part, share.index,
                                            Team::subwarp_width / vectors, vector);
      }
      // Lanes that waited one by one reconverge.
      subwarp.sync();
      carried = subwarp.template sum_together<vectors>(carried);
      if (part == 0 && wanted) {
        target.store(share.first_row, vector, carried + first_sum(scratch, share, vector));
      }
    } else if (part == 0 && wanted) {
      table.carries.post(table.shares + share.index, vector, first_sum(scratch, share, vector));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static Acc first_sum(Scratch& scratch, const Share& share,
                                                   int vector) {
    if constexpr (one_vector) {
      return scratch.product(share.end);
    } else {
      return scratch.first(vector);
    }
  }
};

/// Segmented sums on a CPU: a thread goes through the nonzeros of its share, four of one row at
/// once, and closes a row when the next begins. Rows without entries are closed on the way. Target
/// and carry-outs are those of ShareKernel.
template <class View, class Target, class Table, int VectorsAtOnce>
struct HostShareKernel {
  using Scratch = backends::NoScratch;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using Acc = typename Target::accumulator_type;

  View A;
  Target target;
  Table table;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    // These are copies, which no store to y can change, so they stay in registers.
    const View matrix = A;
    const Target to = target;
    const std::int64_t t = team.index();
    const auto begin = table.edges[t];
    const auto end = table.edges[t + 1];
    const bool finishes = begin.first_share >= 0 && begin.row < end.row;
    Acc sum[VectorsAtOnce] = {};
    Acc first_sum[VectorsAtOnce] = {};
    O row = begin.row;
    const auto close_until = [&](O next) {
      for (; row < next; ++row) {
        for (int c = 0; c < count(to); ++c) {
          if (finishes && row == begin.row) {
            first_sum[c] = sum[c];
          } else {
            to.store(row, c, sum[c]);
          }
          sum[c] = Acc(0);
        }
      }
    };
    const auto term = [&](Off k, int c) {
      return to.product(to.entry(matrix.values[k]), matrix.col_idx[k], c);
    };
    for (Off k = begin.nonzero; k < end.nonzero;) {
      const auto local = matrix.local_row[k];
      const O of = begin.row + static_cast<O>(local);
      if (of != row) close_until(of);
      // Rows ascend: if the fourth nonzero from here is in this row, so are those between.
      const bool four = end.nonzero - k >= 4 && matrix.local_row[k + 3] == local;
      for (int c = 0; c < count(to); ++c) {
        if (four) {
          sum[c] += (term(k, c) + term(k + 1, c)) + (term(k + 2, c) + term(k + 3, c));
        } else {
          sum[c] += term(k, c);
        }
      }
      k += four ? Off(4) : Off(1);
    }
    close_until(end.row);
    if (end.first_share >= 0) {
      for (int c = 0; c < count(to); ++c) table.carries.post(t, c, sum[c]);
    }
    // This is last, since the share before posts its carry-out only when it is through.
    if (finishes) finish(begin, t, first_sum);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int count(const Target& to) {
    return VectorsAtOnce == 1 ? 1 : to.x.count;
  }

  template <class Edge>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Edge& begin, std::int64_t t,
                                          const Acc* first_sum) const {
    for (int c = 0; c < target.x.count; ++c) {
      if constexpr (Table::waits) {
        const Acc carried = table.carries.collect_all(begin.first_share, static_cast<int>(t), 1, c);
        target.store(begin.row, c, first_sum[c] + carried);
      } else {
        table.carries.post(table.shares + t, c, first_sum[c]);
      }
    }
  }
};

/// The kernel that adds up the shares on a GPU for up to VectorLanes * VectorsPerLane vectors, and
/// its launch shape.
template <ExecutionSpace Exec, class View, class Target, class Table, int VectorLanes,
          int VectorsPerLane>
struct GpuSums {
  using Acc = typename Target::accumulator_type;
  static constexpr GpuTuning tuning = gpu_tuning<backends::Tag<Exec>>;
  using Kernel = ShareKernel<View, Target, Table, tuning.threads, tuning.items(sizeof(Acc)),
                             VectorLanes, VectorsPerLane>;
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.threads,
                                Kernel::one_vector ? tuning.teams_resident
                                                   : tuning.multivector_teams_resident>;
};

/// Most vectors of one call of add_up_shares.
template <ExecutionSpace Exec>
inline constexpr int vectors_at_once =
    backends::has_lanes<Exec> ? vectors_per_launch<Exec> : cpu_tuning<backends::Tag<Exec>>.vectors;

/// Stores the sums of all rows to `target`, for at most vectors_at_once vectors: a team a share,
/// and a second launch if teams may not wait for each other.
template <ExecutionSpace Exec, class View, class Target, class Table>
void add_up_shares(const Exec& exec, const char* label, const View& A, const Target& target,
                   const Table& table) {
  const auto launch = [&]<class Shape, class Kernel>(Shape, const Kernel& kernel) {
    launch_shares_and_finish<Shape>(exec, label, target, table, kernel);
  };
  if constexpr (backends::has_lanes<Exec>) {
    const auto launch_for =
        [&]<int Lanes, int PerLane>(std::integer_sequence<int, Lanes, PerLane>) {
          using Sums = GpuSums<Exec, View, Target, Table, Lanes, PerLane>;
          launch(typename Sums::Shape(), typename Sums::Kernel{A, target, table});
        };
    const int vectors = target.x.count;
    if (vectors == 1) return launch_for(std::integer_sequence<int, 1, 1>());
    if (vectors <= 4) return launch_for(std::integer_sequence<int, 4, 1>());
    if (vectors <= 8) return launch_for(std::integer_sequence<int, 4, 2>());
    if (vectors <= 16) return launch_for(std::integer_sequence<int, 8, 2>());
    launch_for(std::integer_sequence<int, 8, 4>());
  } else {
    using Shape = backends::Shape<1>;
    if (target.x.count == 1) {
      return launch(Shape(), HostShareKernel<View, Target, Table, 1>{A, target, table});
    }
    launch(Shape(), HostShareKernel<View, Target, Table, vectors_at_once<Exec>>{A, target, table});
  }
}

}  // namespace heddle::detail::segments
