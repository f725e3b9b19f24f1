// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../schedule/tasks.hpp"
#include "look_for_all.hpp"
#include "solved_values.hpp"
#include "view.hpp"

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
/// presets.hpp.
template <class Operands, int LaneBatch, int WarpBatch, int Vectors>
struct InOrderTasksKernel {
  /// Asked for and not used: so few teams are resident as it leaves room for.
  using Scratch = backends::DynamicScratch;
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;
  using Mailbox = typename SolvedValues<V>::Mailbox;

  Operands operands;
  SolvedValues<V> solved;
  const Task* tasks;
  std::int64_t count;  ///< of tasks
  std::int64_t teams;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto warp = team.subwarp();
    constexpr int width = decltype(warp)::width;
    const std::int64_t index = team.index() * (Team::threads / width) + team.thread() / width;
    const int set = solved.set();
    if (index < count) {
      const Task task = tasks[index];
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
    O needed[WarpBatch];
    S value[WarpBatch];
    V seen[WarpBatch][Vectors];
    for (; warp.any(k < end); k += WarpBatch * Warp::width) {
      load<Warp::width>(k, end, needed, value, seen);
      while (warp.any(!look(needed, set, seen))) {
      }
      add(value, seen, row);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) row.sum[v] = warp.sum_together(row.sum[v]);
    if (writes) finish(row, set);
  }

  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve_rows(const Warp& warp, const Task& task, int set) const {
    bool done = warp.lane() >= task.rows;
    const std::int64_t place = task.first + (done ? 0 : warp.lane());
    Row row = begin(place, !done, set);
    auto k = operands.T.row_ptr[place];
    const auto end = done ? k : operands.T.row_ptr[place + 1];
    O needed[LaneBatch];
    S value[LaneBatch];
    V seen[LaneBatch][Vectors];
    load<1>(k, end, needed, value, seen);
    while (warp.any(!done)) {
      if (done) continue;
      if (!look(needed, set, seen)) continue;
      add(value, seen, row);
      k += LaneBatch;
      if (k < end) {
        load<1>(k, end, needed, value, seen);
        continue;
      }
      finish(row, set);
      done = true;
    }
  }

  /// Also empties the places of the row that the solve before this one left full.
  KOKKOS_FORCEINLINE_FUNCTION Row begin(std::int64_t place, bool writes, int set) const {
    Row row;
    row.place = place;
    row.row = operands.T.row[place];
    row.factor = writes ? operands.factor(place) : Acc(1);
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      row.right[v] = writes && v < solved.vectors ? operands.right_hand_side(row.row, v) : Acc(0);
      row.sum[v] = Acc(0);
    }
    const int full = writes ? solved.vectors_to_empty(set) : 0;
    for (int v = 0; v < full; ++v) solved.sets[1 - set].clear(solved.at(place, v));
    return row;
  }

  /// Entries k, k + Stride, ... below end.
  template <int Stride, int Batch>
  KOKKOS_FORCEINLINE_FUNCTION void load(Off k, Off end, O (&needed)[Batch], S (&value)[Batch],
                                        V (&seen)[Batch][Vectors]) const {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool wanted = k + i * Stride < end;
      needed[i] = backends::load_once(operands.T.needed + k + i * Stride, wanted);
      value[i] = backends::load_once(operands.T.values + k + i * Stride, wanted);
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      HEDDLE_UNROLL(Vectors)
      for (int v = 0; v < Vectors; ++v) {
        const bool wanted = k + i * Stride < end && v < solved.vectors;
        seen[i][v] = wanted ? Mailbox::not_posted() : V(0);
      }
    }
  }

  /// Whether all values of a batch are there now.
  template <int Batch>
  KOKKOS_FORCEINLINE_FUNCTION bool look(const O (&needed)[Batch], int set,
                                        V (&seen)[Batch][Vectors]) const {
    const auto place = [&](int i, int v) { return solved.at(needed[i], v); };
    return look_for_all(solved.sets[set], place, seen);
  }

  template <int Batch>
  KOKKOS_FORCEINLINE_FUNCTION void add(const S (&value)[Batch], const V (&seen)[Batch][Vectors],
                                       Row& row) const {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      // Beyond the end both are zero.
      HEDDLE_UNROLL(Vectors)
      for (int v = 0; v < Vectors; ++v) {
        row.sum[v] += operands.value(value[i]) * Acc(seen[i][v]);
      }
    }
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
  }
};

}  // namespace heddle::detail::sptrsv
