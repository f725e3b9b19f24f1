// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cassert>

#include "../../handover/gpu_solve.hpp"
#include "../../order/level_runs.hpp"
#include "../../order/tasks.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../select/shapes.hpp"
#include "../select/tuning.hpp"
#include "cluster_levels_kernel.hpp"
#include "inspection.hpp"
#include "tasks_kernel.hpp"

namespace heddle::detail::sptrsv {

/// Runs sptrsv/self-scheduled and sptrsv/level-set on a GPU: rows in the order of their levels, a
/// warp a task; thin levels of the second by a cluster, where the device has clusters.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class TasksExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  TasksExecutor() = default;

  TasksExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme,
                const order::LevelOrder<Exec, O>& order)
      : by_level_(scheme.has("level-set")), room_(std::min(in.vectors, vectors_at_once)) {
    levels_ = order.levels();
    Parameters otherwise = rows_shape(in.T.rows(), in.sums.entries, levels_);
    if (by_level_ && in.device.most_teams_per_cluster > 0) {
      otherwise.emplace_back("cluster", std::to_string(cluster_teams));
    }
    scheme_ = resolved(scheme, otherwise);
    lanes_ = static_cast<int>(scheme_.integer("lanes"));
    triangle_ = Triangle(in.exec, in.T, in.graph, in.origin, order, in.sums.entries, in.diagonal);
    ranges_ = order::TaskRanges(order.level_begin(), warp_width / lanes_);
    if (ranges_.tasks() / warps_per_team >= backends::max_teams_in_order) {
      throw Error("a triangle of " + std::to_string(in.T.rows()) + " rows takes too many teams",
                  "pin a scheme with fewer lanes");
    }
    table_ = order::TaskTable<Exec>(in.exec, ranges_, order.level_begin());
    if (by_level_) find_runs(in.exec, order.level_begin());
    solve_ = handover::GpuSolve<Exec, V>(in.exec, in.T.rows(), room_);
    scratch_bytes_ =
        handover::scratch_for_residency(in.device, scheme_.integer("warps"), warps_per_team);
    in.exec.fence("heddle::sptrsv::ordered");  // before the order is freed
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return levels_; }
  std::size_t bytes() const {
    return triangle_.bytes() + table_.bytes() + level_memory_.bytes() + solve_.bytes();
  }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    for (int first = 0; first < x.count; first += room_) {
      const int vectors = std::min(room_, x.count - first);
      const Operands operands{triangle_.view(), conjugate, alpha, b.slice(first, vectors),
                              x.slice(first, vectors)};
      with_lanes<1>(exec, operands, NoTrace());
    }
  }

  SolveTrace trace(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
                   const Multivector<V>& x) {
    const auto view = triangle_.view();
    const TraceStorage<Exec> storage(exec, view.rows);
    with_lanes<1>(exec, Operands{view, conjugate, alpha, b, x}, storage.trace());
    SolveTrace trace = storage.read(exec);
    trace.step_of_row = places_of_rows(exec, view.row, view.rows);
    return trace;
  }

 private:
  using Operands = sptrsv::Operands<S, O, Off, V, Acc>;
  using Triangle = triangle::OrderedTriangle<Exec, S, O, Off, triangle::DiagonalOf<S, V>>;
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;
  static constexpr int warps_per_team = team_threads / warp_width;

  /// The launches of level-set, and where levels begin for those of a cluster.
  void find_runs(const Exec& exec, const std::vector<std::int64_t>& level_begin) {
    if (scheme_.has("cluster")) cluster_ = static_cast<int>(scheme_.integer("cluster"));
    const std::int64_t most = cluster_ * cluster_threads / lanes_;
    runs_ = order::runs_of_levels(level_begin, most);
    assert(order::broken_run(level_begin, runs_, most) == "");
    const std::size_t begins = cluster_ > 0 ? level_begin.size() : 0;
    level_memory_ = Arena<typename Exec::memory_space>(exec, "heddle::sptrsv::level_begin",
                                                       arena_bytes<std::int64_t>(begins));
    level_begin_ = level_memory_.template take<std::int64_t>(begins);
    using Host = Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(kokkos_space(exec), level_begin_, Host(level_begin.data(), begins));
  }

  template <int Lanes, class Trace>
  void with_lanes(const Exec& exec, const Operands& operands, const Trace& trace) {
    if constexpr (Lanes < 32) {
      if (Lanes < lanes_) return with_lanes<2 * Lanes>(exec, operands, trace);
    }
    constexpr int batch = Lanes == 1 ? 8 : 4;
    if constexpr (!Trace::records) {
      if (operands.x.count > 1) return run<Lanes, 2, vectors_at_once>(exec, operands, trace);
    }
    run<Lanes, batch, 1>(exec, operands, trace);
  }

  template <int Lanes, int Batch, int Vectors, class Trace>
  void run(const Exec& exec, const Operands& operands, const Trace& trace) {
    using Shape = backends::Shape<Lanes, team_threads>;
    using Kernel = TasksKernel<Operands, Batch, Vectors, Trace>;
    const auto& begin = ranges_.begin();
    solve_.run(exec, operands.x.count, [&](const auto& solved, const auto& tickets) {
      const auto kernel = [&](std::int64_t first, std::int64_t stop) {
        return Kernel{operands,
                      solved,
                      table_.tasks(),
                      first,
                      stop,
                      ceil_div<std::int64_t>(stop - first, warps_per_team),
                      stop == ranges_.tasks(),
                      trace};
      };
      if (!by_level_) {
        const Kernel all = kernel(0, ranges_.tasks());
        return backends::launch_by_ticket<Shape>(exec, "heddle::sptrsv::solve", all.teams, all,
                                                 tickets, scratch_bytes_);
      }
      for (const order::LevelRun& run : runs_) {
        if (run.levels() > 1) {
          solve_thin_levels<Vectors>(exec, operands, solved, run, trace);
          continue;
        }
        const auto level = static_cast<std::size_t>(run.first);
        const Kernel one = kernel(begin[level], begin[level + 1]);
        backends::launch<Shape>(exec, "heddle::sptrsv::level", one.teams, one, scratch_bytes_);
      }
    });
  }

  template <int Vectors, class Trace>
  void solve_thin_levels(const Exec& exec, const Operands& operands,
                         const handover::SolvedValues<V>& solved, const order::LevelRun& run,
                         const Trace& trace) {
    if constexpr (backends::has_clusters<Exec>) {
      using Shape = backends::Shape<warp_width, cluster_threads>;
      using Kernel = ClusterLevelsKernel<Operands, Vectors == 1 ? 4 : 2, Vectors, Trace>;
      const Kernel kernel{operands, solved, level_begin_.data(), run.first,
                          run.stop, lanes_, run.stop == levels_, trace};
      backends::launch_cluster<Shape>(exec, "heddle::sptrsv::thin_levels", cluster_, 1, kernel);
    }
  }

  bool by_level_ = false;
  int lanes_ = 1;
  Scheme scheme_;
  int room_ = 1;
  int levels_ = 0;
  Triangle triangle_;
  order::TaskRanges ranges_;
  order::TaskTable<Exec> table_;
  std::vector<order::LevelRun> runs_;
  int cluster_ = 0;  // teams
  Arena<typename Exec::memory_space> level_memory_;
  typename Arena<typename Exec::memory_space>::template Array<std::int64_t> level_begin_;
  handover::GpuSolve<Exec, V> solve_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace heddle::detail::sptrsv
