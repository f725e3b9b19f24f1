// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../handover/gpu_solve.hpp"
#include "../../order/in_order_tasks.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../select/shapes.hpp"
#include "../select/tuning.hpp"
#include "in_order_tasks_kernel.hpp"
#include "inspection.hpp"

namespace heddle::detail::sptrsv {

/// Runs sptrsv/in-order on a GPU: rows in the user's order, a warp or a lane a row.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class InOrderExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  InOrderExecutor() = default;

  InOrderExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme)
      : scheme_(resolved(scheme, in_order_shape())), room_(std::min(in.vectors, vectors_at_once)) {
    const auto order =
        order::LevelOrder<Exec, O>::by_sweep(in.exec, in.graph.rows, in.graph.sweep());
    triangle_ = Triangle(in.exec, in.T, in.graph, in.origin, order, in.sums.entries, in.diagonal);
    const auto view = triangle_.view();
    tasks_ = order::InOrderTasks<Exec>(
        in.exec, order::InOrderRuns<Off>{view.row_ptr, view.rows, warp_width, most_mean(scheme_)});
    if (teams() >= backends::max_teams_in_order) {
      throw Error("a triangle of " + std::to_string(in.T.rows()) + " rows takes too many teams",
                  "pin a scheme with sw_rnnz=inf");
    }
    solve_ = handover::GpuSolve<Exec, V>(in.exec, in.T.rows(), room_);
    scratch_bytes_ =
        handover::scratch_for_residency(in.device, scheme_.integer("warps"), warps_per_team);
    in.exec.fence("heddle::sptrsv::ordered");  // before the order is freed
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return 0; }
  std::size_t bytes() const { return triangle_.bytes() + tasks_.bytes() + solve_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    for (int first = 0; first < x.count; first += room_) {
      const int vectors = std::min(room_, x.count - first);
      const Operands operands{triangle_.view(), conjugate, alpha, b.slice(first, vectors),
                              x.slice(first, vectors)};
      if (vectors == 1) {
        run<8, 4, 1>(exec, operands, NoTrace());
      } else {
        run<2, 2, vectors_at_once>(exec, operands, NoTrace());
      }
    }
  }

  SolveTrace trace(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
                   const Multivector<V>& x) {
    const auto view = triangle_.view();
    const TraceStorage<Exec> storage(exec, view.rows);
    run<8, 4, 1>(exec, Operands{view, conjugate, alpha, b, x}, storage.trace());
    SolveTrace trace = storage.read(exec);
    trace.step_of_row = places_of_rows(exec, view.row, view.rows);
    return trace;
  }

 private:
  using Operands = sptrsv::Operands<S, O, Off, V, Acc>;
  using Triangle = triangle::OrderedTriangle<Exec, S, O, Off, triangle::DiagonalOf<S, V>>;
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;
  static constexpr int warps_per_team = team_threads / warp_width;
  using Shape = backends::Shape<warp_width, team_threads>;

  static std::int64_t most_mean(const Scheme& scheme) {
    if (scheme.value("sw_rnnz") == "inf") return order::InOrderRuns<Off>::any_mean;
    const std::int64_t entries = scheme.integer("sw_rnnz");
    return entries == 0 ? -1 : entries;
  }

  std::int64_t teams() const { return ceil_div<std::int64_t>(tasks_.count(), warps_per_team); }

  template <int LaneBatch, int WarpBatch, int Vectors, class Trace>
  void run(const Exec& exec, const Operands& operands, const Trace& trace) {
    using Kernel = InOrderTasksKernel<Operands, LaneBatch, WarpBatch, Vectors, Trace>;
    solve_.run(exec, operands.x.count, [&](const auto& solved, const auto& tickets) {
      const Kernel kernel{operands, solved, tasks_.tasks(), tasks_.count(), teams(), trace};
      backends::launch_by_ticket<Shape>(exec, "heddle::sptrsv::solve", teams(), kernel, tickets,
                                        scratch_bytes_);
    });
  }

  Scheme scheme_;
  int room_ = 1;
  Triangle triangle_;
  order::InOrderTasks<Exec> tasks_;
  handover::GpuSolve<Exec, V> solve_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace heddle::detail::sptrsv
