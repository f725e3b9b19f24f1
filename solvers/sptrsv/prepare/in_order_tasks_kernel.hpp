// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../handover/entry_batch.hpp"
#include "../../order/tasks.hpp"
#include "operands.hpp"
#include "trace.hpp"

namespace heddle::detail::sptrsv {

/// A triangle in the order of its rows on a GPU, by ticket, a warp a task: one row for all lanes of
/// the warp, or a row a lane. A lane asks for WarpBatch or LaneBatch values at once.
///
/// Why it ends: tasks are taken in the order in which teams begin, and a row needs rows of lower
/// places alone; so the lowest place that is not posted lies in a task whose warp runs, and whose
/// row finds at its next look all that it needs. That every lane looks again and may post is what
/// is left to see, for warps whose lanes do not progress by themselves too:
/// - a row a lane: the rows of a warp may need each other. No lane leaves the loop before its warp,
///   and none waits inside it: in every round each lane looks once at what it lacks, and posts in
///   the round in which it has all. So no lane keeps another from posting.
/// - one row: it needs no other row of the warp, and its lanes ask again together until all have
///   all.
/// Warps of a team meet at its barrier after their last row, when nobody waits for them.
///
/// Deterministic: a row is added up by the same lanes in the same order every time. Sources:
/// presets.hpp. A step of a trace is a place.
template <class Operands, int LaneBatch, int WarpBatch, int Vectors, class Trace = NoTrace>
struct InOrderTasksKernel {
  /// Asked for and not used: it limits the number of resident teams.
  using Scratch = backends::DynamicScratch;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  handover::SolvedValues<V> solved;
  const order::Task* tasks;
  std::int64_t count;  ///< of tasks
  std::int64_t teams;
  Trace trace;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto warp = team.subwarp();
    constexpr int width = decltype(warp)::width;
    const std::int64_t index = team.index() * (Team::threads / width) + team.thread() / width;
    const int set = solved.set();
    if (index < count) {
      const order::Task task = tasks[index];
      if (task.rows == 1) {
        solve_row(warp, task.first, set);
      } else {
        solve_rows(warp, task, set);
      }
    }
    team.barrier();
    if (team.thread() == 0) solved.end(set, teams);
  }

 private:
  /// What a row takes from memory before it needs others.
  struct Row {
    std::int64_t place;
    O row;
    Acc factor;
    Acc right[Vectors];
    Acc sum[Vectors];
  };

  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve_row(const Warp& warp, std::int64_t place, int set) const {
    const bool writes = warp.lane() == 0;
    Row row = begin(place, writes, set);
    auto k = operands.T.row_ptr[place] + warp.lane();
    const auto end = operands.T.row_ptr[place + 1];
    handover::EntryBatch<Operands, WarpBatch, Vectors> batch;
    for (; warp.any(k < end); k += WarpBatch * Warp::width) {
      batch.template load_row<Warp::width>(operands.T, solved, k, end);
      while (warp.any(!batch.look(solved, set))) {
      }
      batch.add_to(row.sum, operands);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) row.sum[v] = warp.sum_together(row.sum[v]);
    if (writes) finish(row, set);
  }

  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve_rows(const Warp& warp, const order::Task& task,
                                              int set) const {
    bool done = warp.lane() >= task.rows;
    const std::int64_t place = task.first + (done ? 0 : warp.lane());
    Row row = begin(place, !done, set);
    auto k = operands.T.row_ptr[place];
    const auto end = done ? k : operands.T.row_ptr[place + 1];
    handover::EntryBatch<Operands, LaneBatch, Vectors> batch;
    batch.template load_row<1>(operands.T, solved, k, end);
    while (warp.any(!done)) {
      if (done) continue;
      if (!batch.look(solved, set)) continue;
      batch.add_to(row.sum, operands);
      k += LaneBatch;
      if (k < end) {
        batch.template load_row<1>(operands.T, solved, k, end);
        continue;
      }
      finish(row, set);
      done = true;
    }
  }

  /// Also empties the places of the row that the solve before this one left full.
  KOKKOS_FORCEINLINE_FUNCTION Row begin(std::int64_t place, bool writes, int set) const {
    if (writes) trace.begin(place);
    Row row;
    row.place = place;
    row.row = operands.T.row[place];
    row.factor = writes ? operands.factor(place) : Acc(1);
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      row.right[v] = writes && v < solved.vectors ? operands.right_hand_side(row.row, v) : Acc(0);
      row.sum[v] = Acc(0);
    }
    if (writes) solved.empty(set, place);
    return row;
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(const Row& row, int set) const {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      if (v >= solved.vectors) continue;
      const V value =
          static_cast<V>(operands.quotient(row.right[v] - row.sum[v], row.factor, row.place));
      solved.sets[set].post(solved.at(row.place, v), 0, value);
      operands.x(row.row, v) = value;
    }
    trace.end(row.place);
  }
};

}  // namespace heddle::detail::sptrsv
