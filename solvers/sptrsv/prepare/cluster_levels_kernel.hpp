// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/cluster.hpp"
#include "../../handover/entry_batch.hpp"
#include "operands.hpp"
#include "trace.hpp"

namespace heddle::detail::sptrsv {

/// Levels [first, stop) of a triangle by one cluster of teams, with a barrier of the cluster behind
/// each: levels of no more rows than the cluster has lanes for. So many lanes share a row; which
/// row of a level a lane works for is its place in the cluster.
///
/// What a row needs before it needs others is on its way while the levels before it are solved:
/// where a level begins three levels ahead, its rows two, and their entries one; the loads are
/// under way while threads wait at a barrier.
///
/// Why it ends, and in the right order: the teams of a cluster begin together, once there is room
/// for all, and every thread comes to every barrier. What a row needs is of an earlier launch, or
/// was posted before a barrier that its lanes have passed; so it is there at the first look, and
/// nobody polls.
///
/// Deterministic: a row is added up by the same lanes in the same order every time. A step of a
/// trace is a place.
template <class Operands, int Batch, int Vectors, class Trace = NoTrace>
struct ClusterLevelsKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  handover::SolvedValues<V> solved;
  const std::int64_t* level_begin;  ///< the first place of each level, and the end
  int first, stop;
  int lanes;        ///< of a row: a power of two, at most those of a warp
  bool ends_solve;  ///< no launch of this solve comes after this one
  Trace trace;

  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Cluster& cluster, Scratch&) const {
    const auto team = cluster.team();
    const auto warp = team.subwarp();
    const int row = (cluster.rank() * team.threads + team.thread()) / lanes;
    const int lane = warp.lane() % lanes;
    const int set = solved.set();
    Entries now = fetch(locate(level_at(first), row, lane), lane, set);
    Located next = locate(level_at(first + 1), row, lane);
    Level after = level_at(first + 2);
    for (int level = first; level < stop; ++level) {
      solve(warp, now, set);
      cluster.arrive();
      now = fetch(next, lane, set);
      next = locate(after, row, lane);
      after = level_at(level + 3);
      cluster.wait();
    }
    if (ends_solve && team.thread() == 0) solved.end(set, cluster.teams());
  }

 private:
  struct Level {
    std::int64_t begin, end;
  };
  /// A lane's part of a row.
  struct Located {
    bool exists;
    std::int64_t place;
    O row;
    Off k, end;
  };
  struct Entries {
    Located at;
    bool writes;
    Acc factor;
    Acc right[Vectors];
    handover::EntryBatch<Operands, Batch, Vectors> batch;
  };

  /// Beyond the last an empty one.
  KOKKOS_FORCEINLINE_FUNCTION Level level_at(int level) const {
    const int there = level < stop ? level : stop;
    return {level_begin[there], level_begin[level < stop ? there + 1 : there]};
  }

  KOKKOS_FORCEINLINE_FUNCTION Located locate(const Level& level, int row, int lane) const {
    const auto& T = operands.T;
    Located at;
    at.place = level.begin + row;
    at.exists = at.place < level.end;
    at.row = backends::load(T.row + at.place, at.exists);
    at.k = backends::load(T.row_ptr + at.place, at.exists) + static_cast<Off>(lane);
    at.end = backends::load(T.row_ptr + at.place + 1, at.exists);
    return at;
  }

  KOKKOS_FORCEINLINE_FUNCTION Entries fetch(const Located& at, int lane, int set) const {
    Entries entries;
    entries.at = at;
    entries.writes = at.exists && lane == 0;
    entries.factor = entries.writes ? operands.factor(at.place) : Acc(1);
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      const bool reads = entries.writes && v < solved.vectors;
      entries.right[v] = reads ? operands.right_hand_side(at.row, v) : Acc(0);
    }
    load(entries.batch, at.k, at.end);
    if (entries.writes) {
      trace.begin(at.place);
      solved.empty(set, at.place);
    }
    return entries;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(handover::EntryBatch<Operands, Batch, Vectors>& batch,
                                        Off k, Off end) const {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const Off entry = k + static_cast<Off>(i * lanes);
      batch.load(i, operands.T.needed + entry, operands.T.values + entry, entry < end);
    }
  }

  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Warp& warp, Entries& entries, int set) const {
    const Located& at = entries.at;
    if (!warp.any(at.exists)) return;
    Acc sum[Vectors];
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) sum[v] = Acc(0);
    Off k = at.k;
    while (warp.any(k < at.end)) {
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        entries.batch.want(i, solved, 0, k + static_cast<Off>(i * lanes) < at.end);
      }
      entries.batch.look(solved, set);
      entries.batch.add_to(sum, operands);
      k += static_cast<Off>(Batch * lanes);
      if (warp.any(k < at.end)) load(entries.batch, k, at.end);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      for (int other = lanes / 2; other > 0; other /= 2) {
        sum[v] += warp.shuffle_xor(sum[v], other);
      }
      if (!entries.writes || v >= solved.vectors) continue;
      const Acc difference = entries.right[v] - sum[v];
      const V value = static_cast<V>(operands.quotient(difference, entries.factor, at.place));
      solved.sets[set].post(solved.at(at.place, v), 0, value);
      operands.x(at.row, v) = value;
    }
    if (entries.writes) trace.end(at.place);
  }
};

}  // namespace heddle::detail::sptrsv
