// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/unroll.hpp"
#include "../../ordered/entry_batch.hpp"
#include "../../ordered/schedule.hpp"
#include "operands.hpp"

namespace heddle::detail::sptrsv {

/// Tasks [first, stop) of a triangle on a GPU, a warp a task. A row has `lanes` lanes of the warp;
/// if that is 0, all of them where the task is one row, and else one.
///
/// Why it ends: tasks are taken in the order in which teams begin, and a row needs rows of lower
/// places alone, which lie in tasks of earlier launches, in lower tasks, or in its own. So the
/// lowest place that is not posted lies in a task whose warp runs, and finds at its next look all
/// that it needs. That every lane looks again and may post is what is left to see, for warps whose
/// lanes do not progress by themselves too:
/// - a lane a row: the rows of a warp may need each other. No lane leaves the loop before its warp,
///   and none waits inside it: in every round each lane looks once at what it lacks, and posts in
///   the round in which it has all. So no lane keeps another from posting.
/// - several lanes a row: the rows of a task are of one level, or the task is one row, so none
///   needs another of its warp; and the lanes of the warp ask again together until all have all.
/// Warps of a team meet at its barrier after their last row, when nobody waits for them.
///
/// Deterministic: a row is added up by the same lanes in the same order every time, whatever the
/// batches: a lane asks for LaneBatch values at once where it has a row for itself, else for
/// WarpBatch. Entries name places. Sources: W. Liu et al., "A synchronization-free algorithm for
/// parallel sparse triangular solves", Euro-Par 2016; Z. Hu et al., "AG-SpTRSV", TACO 2024, for
/// variants of one kernel; and grammar.hpp; all keep a flag apart from the value.
///
/// `ends_solve` says that no launch of this solve comes after this one, of `teams` teams. A step
/// of a trace is a place.
template <class Operands, int LaneBatch, int WarpBatch, int Vectors, class Trace = NoTrace>
struct TasksKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  ordered::SolvedValues<V> solved;
  const ordered::Task* tasks;
  std::int64_t first, stop;
  std::int64_t teams;  ///< of the launch
  int lanes;
  bool ends_solve;
  Trace trace;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto warp = team.subwarp();
    constexpr int width = decltype(warp)::width;
    const std::int64_t index =
        first + team.index() * (Team::threads / width) + team.thread() / width;
    const int set = solved.set();
    if (index < stop) {
      const ordered::Task task = tasks[index];
      const int of_row = lanes > 0 ? lanes : task.rows == 1 ? width : 1;
      if (of_row == 1) {
        solve_alone(warp, task, set);
      } else {
        solve_together(warp, task, of_row, set);
      }
    }
    if (!ends_solve) return;
    team.barrier();
    if (team.thread() == 0) solved.end(set, teams);
  }

 private:
  /// What a row takes from memory before it needs others.
  struct Row {
    std::int64_t place;
    O row;
    Off k, end;
    Acc factor;
    Acc right[Vectors];
    Acc sum[Vectors];
  };

  /// Rows of several lanes.
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve_together(const Warp& warp, const ordered::Task& task,
                                                  int of_row, int set) const {
    const int lane = warp.lane() % of_row, at = warp.lane() / of_row;
    const bool writes = at < task.rows && lane == 0;
    Row row = begin(task.first + at, at < task.rows, writes, set);
    row.k += static_cast<Off>(lane);
    ordered::EntryBatch<Operands, WarpBatch, Vectors> batch;
    for (; warp.any(row.k < row.end); row.k += static_cast<Off>(WarpBatch * of_row)) {
      batch.load_row(operands.T, solved, row.k, row.end, static_cast<Off>(of_row));
      while (warp.any(!batch.look(solved, set))) {
      }
      batch.add_to(row.sum, operands);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) row.sum[v] = warp.sum_among(of_row, row.sum[v]);
    if (writes) finish(row, set);
  }

  /// A lane a row.
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve_alone(const Warp& warp, const ordered::Task& task,
                                               int set) const {
    bool done = warp.lane() >= task.rows;
    Row row = begin(task.first + warp.lane(), !done, !done, set);
    ordered::EntryBatch<Operands, LaneBatch, Vectors> batch;
    batch.load_row(operands.T, solved, row.k, row.end, Off(1));
    while (warp.any(!done)) {
      if (done) continue;
      if (!batch.look(solved, set)) continue;
      batch.add_to(row.sum, operands);
      row.k += LaneBatch;
      if (row.k < row.end) {
        batch.load_row(operands.T, solved, row.k, row.end, Off(1));
        continue;
      }
      finish(row, set);
      done = true;
    }
  }

  /// The row at a place, if that exists. The lane that writes it also empties the places that the
  /// solve before this one left full: before the wait, as all that depends on no other row.
  KOKKOS_FORCEINLINE_FUNCTION Row begin(std::int64_t place, bool exists, bool writes,
                                        int set) const {
    Row row;
    row.place = exists ? place : 0;
    row.k = operands.T.row_ptr[row.place];
    row.end = exists ? operands.T.row_ptr[row.place + 1] : row.k;
    row.row = operands.T.row[row.place];
    if (writes) trace.begin(row.place);
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      row.right[v] = writes && v < solved.vectors ? operands.right_hand_side(row.row, v) : Acc(0);
      row.sum[v] = Acc(0);
    }
    row.factor = writes ? operands.factor(row.place) : Acc(1);
    if (writes) solved.empty(set, row.place);
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
