// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../ordered/schedule.hpp"
#include "../../ordered/solved_values.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../select/tuning.hpp"
#include "inspection.hpp"
#include "tasks_kernel.hpp"

namespace heddle::detail::sptrsv {

/// Cuts a schedule into the tasks of a resolved scheme, for warps of this width. The entries of
/// place p are row_ptr[p] to row_ptr[p + 1], on the device. Returns the lanes of a row; 0: all of a
/// warp where a task is one row, and else one, so that rows of a task may need each other.
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
  if (most_mean == 0) most_mean = -1;  // even of rows without entries
  schedule.cut_runs(exec, row_ptr, warp_width, most_mean);
  return 0;
}

/// Runs sptrsv/self-scheduled, level-set and in-order on a GPU: rows in the order of their levels,
/// or in the user's, a warp a task.
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

  /// With a trace of one right-hand side.
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
  using Operands = sptrsv::Operands<S, O, Off, V, Acc>;
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;
  using Shape = backends::Shape<warp_width, team_threads>;

  static std::int64_t teams_of(std::int64_t tasks) {
    return ceil_div<std::int64_t>(tasks, team_threads / warp_width);
  }

  template <int LaneBatch, int WarpBatch, int Vectors, class Trace>
  void run(const Exec& exec, const Operands& operands, const Trace& trace) {
    using Kernel = TasksKernel<Operands, LaneBatch, WarpBatch, Vectors, Trace>;
    solve_.run(exec, operands.x.count, [&](const auto& solved, const auto& tickets) {
      for (const ordered::Launch& launch : schedule_.launches()) {
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
  int lanes_ = 0;  ///< of a row: cut_tasks
  Triangle triangle_;
  ordered::Schedule<Exec, O> schedule_;
  ordered::GpuSolve<Exec, V> solve_;
  backends::Residency residency_;
};

}  // namespace heddle::detail::sptrsv
