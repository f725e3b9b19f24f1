// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../backends/launch.hpp"
#include "../../../backends/unroll.hpp"
#include "../../ordered/schedule.hpp"
#include "../../ordered/solved_values.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../select/tuning.hpp"
#include "operands.hpp"

namespace heddle::detail::sptrsv {

/// Solves tasks [first, stop) of a triangle on a GPU, one warp for each task. A row has `lanes`
/// lanes of the warp; 0: all of them if the task is one row, else one.
///
/// Why it ends: tasks are taken in the order in which teams begin. A row needs only rows of lower
/// places, which are in tasks of earlier launches, in lower tasks, or in its own. So the lowest
/// place that is not posted is in a task whose warp runs, and finds all that it needs at its next
/// look. It remains to show that every lane looks again and may post, also in warps whose lanes do
/// not progress independently:
/// - one lane for each row: the rows of a warp may need each other. No lane leaves the loop before
///   its warp, and none waits inside it: in every round each lane looks once for the values it
///   lacks, and posts in the round in which it has all. So no lane keeps another from posting.
/// - several lanes for each row: the rows of a task are of one level, or the task is one row, so
///   none needs another of its warp; and the lanes of the warp look again together until all have
///   all values.
/// The warps of a team meet at its barrier after their last row, when no row waits for them.
///
/// Deterministic: a row is added up by the same lanes in the same order every time, whatever the
/// batches: a lane requests LaneBatch values at once if it has a row of its own, else WarpBatch.
/// Entries name places. Sources: W. Liu et al., "A synchronization-free algorithm for parallel
/// sparse triangular solves", Euro-Par 2016; Z. Hu et al., "AG-SpTRSV", TACO 2024, for variants of
/// one kernel; and those of published.hpp. All of them separate the flag from the value.
///
/// `ends_solve`: this launch, of `teams` teams, is the last of the solve. A step of a trace is a
/// place.
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
  std::int64_t teams;  ///< teams of the launch
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
  /// A row: what is read before it needs others, and its sums.
  struct Row {
    std::int64_t place;
    O row;
    Off k, end;
    Acc factor;
    Acc right[Vectors];
    Acc sum[Vectors];
  };

  /// Solves the rows of a task with `of_row` lanes each.
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

  /// Solves the rows of a task with one lane each.
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

  /// Reads the row at a place, if that exists. The lane that writes the row also clears the values
  /// that the previous solve posted at this place: before the wait, since this depends on no other
  /// row.
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

/// Cuts a schedule into the tasks of a resolved scheme, for warps of this width. The entries of
/// place p are row_ptr[p] to row_ptr[p + 1], on the device. Returns the lanes of a row; 0: all of a
/// warp if a task is one row, else one, and then rows of a task may need each other.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
int cut_tasks(const Exec& exec, const Scheme& scheme, const Off* row_ptr, int warp_width,
              ordered::Schedule<Exec, O>& schedule) {
  if (!scheme.has("in-order")) {
    const int lanes = static_cast<int>(scheme.integer("lanes"));
    schedule.cut_levels(exec, warp_width / lanes, scheme.has("level-set"));
    return lanes;
  }
  std::int64_t most_mean = schedule.any_mean;
  if (scheme.value("sw_rnnz") != "inf") most_mean = scheme.integer("sw_rnnz");
  if (most_mean == 0) most_mean = -1;  // a warp for each row, even without entries
  schedule.cut_runs(exec, row_ptr, warp_width, most_mean);
  return 0;
}

/// Runs sptrsv/self-scheduled, level-set and in-order on a GPU: rows in the order of their levels,
/// or in the user's, one warp for each task.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class TasksExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Triangle = triangle::OrderedTriangle<Exec, S, O, Off, triangle::DiagonalOf<S, V>>;

  TasksExecutor() = default;

  TasksExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme)
      : scheme_(scheme), room_(std::min(in.vectors, vectors_at_once)) {
    using Schedule = ordered::Schedule<Exec, O>;
    const auto sweep = in.graph.sweep();
    schedule_ = scheme.has("in-order")
                    ? Schedule(in.graph.rows, sweep)
                    : Schedule::by_level(in.exec, in.graph.rows, sweep, *in.levels);
    triangle_ = Triangle(in.exec, in.T, in.graph, in.origin, schedule_.order(), in.sums.entries,
                         in.diagonal);
    lanes_ = cut_tasks(in.exec, scheme_, triangle_.view().row_ptr, warp_width, schedule_);
    solve_ = ordered::GpuSolve<Exec, V>(in.exec, in.T.rows(), room_);
    backends::check_teams_in_order(teams_of(schedule_.task_count()),
                                   "a triangle of " + std::to_string(in.T.rows()) + " rows",
                                   "pin a scheme with fewer lanes a row");
    residency_.warps = static_cast<int>(scheme_.integer("warps"));
    in.exec.fence("heddle::sptrsv::ordered");
    schedule_.forget_order();
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return schedule_.levels(); }
  std::size_t bytes() const { return triangle_.bytes() + schedule_.bytes() + solve_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  /// Solves for all vectors of b. A trace needs one right-hand side.
  template <class Trace = NoTrace>
  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x, const Trace& trace = {}) {
    for (int first = 0; first < x.count; first += room_) {
      const int vectors = std::min(room_, x.count - first);
      const Operands operands{triangle_.view(), conjugate, alpha, b.slice(first, vectors),
                              x.slice(first, vectors)};
      if (Trace::records || vectors == 1) {
        run<8, 4, 1>(exec, operands, trace);
      } else {
        run<2, 2, vectors_at_once>(exec, operands, NoTrace());
      }
    }
  }

  const Triangle& triangle() const { return triangle_; }

 private:
  using Operands = sptrsv::SolveOperands<S, O, Off, V, Acc>;
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;
  using Shape = backends::Shape<warp_width, team_threads>;

  static std::int64_t teams_of(std::int64_t tasks) {
    return ceil_div<std::int64_t>(tasks, team_threads / warp_width);
  }

  template <int LaneBatch, int WarpBatch, int Vectors, class Trace>
  void run(const Exec& exec, const Operands& operands, const Trace& trace) {
    using Kernel = TasksKernel<Operands, LaneBatch, WarpBatch, Vectors, Trace>;
    solve_.run(exec, operands.x.count, [&](const auto& solved, const auto& tickets) {
      for (const ordered::LaunchRange& launch : schedule_.launches()) {
        const std::int64_t teams = teams_of(launch.stop - launch.first);
        const bool last = &launch == &schedule_.launches().back();
        const Kernel kernel{operands,     solved,      schedule_.tasks(),
                            launch.first, launch.stop, teams,
                            lanes_,       last,        trace};
        if (launch.one_level) {
          backends::launch<Shape>(exec, "heddle::sptrsv::level", teams, kernel, residency_);
        } else {
          backends::launch_by_ticket<Shape>(exec, "heddle::sptrsv::solve", teams, kernel, tickets,
                                            0, residency_);
        }
      }
    });
  }

  Scheme scheme_;
  int room_ = 1;
  int lanes_ = 0;  ///< lanes of a row (cut_tasks)
  Triangle triangle_;
  ordered::Schedule<Exec, O> schedule_;
  ordered::GpuSolve<Exec, V> solve_;
  backends::Residency residency_;
};

}  // namespace heddle::detail::sptrsv
