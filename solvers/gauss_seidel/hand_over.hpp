// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../handover/gpu_solve.hpp"
#include "../sptrsv/select/shapes.hpp"
#include "hand_over_kernel.hpp"
#include "part_of_rows.hpp"

namespace heddle::detail::gauss_seidel {

/// Half sweeps of one side on a GPU, by HandOverKernel: rows level by level, and what hands their
/// values over.
template <ExecutionSpace Exec, class Matrix>
class HandOver {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Allocates, and waits for `exec`: finds levels.
  HandOver(const Exec& exec, const Matrix& A, const Side<O>& side, const Scheme& scheme, int room)
      : scheme_(scheme), rows_(A.rows()), room_(std::min(room, sptrsv::vectors_at_once)) {
    const order::Loop<O, SideReads<O, Off>> loop{
        A.rows(),
        side.forward ? SweepDirection::forward : SweepDirection::backward,
        ReadsAhead::error,
        {A.row_ptr().data(), A.col_idx().data(), side}};
    order_ = order::LevelOrder<Exec, O>::by_level(exec, A.rows(), loop.sweep,
                                                  order::Levels<Exec>(exec, loop));
    solve_ = handover::GpuSolve<Exec, S>(exec, rows_, room_);
  }

  order::PlaceOrder<O> place_order() const {
    return {order_.iterations().data(), static_cast<O>(rows_), SweepDirection::forward};
  }
  /// Resolves the scheme, once the side has `entries` off the diagonal. Allocates, and waits.
  void cut(const Exec& exec, std::int64_t entries) {
    levels_ = order_.levels();
    scheme_ = sptrsv::resolved(scheme_, sptrsv::rows_shape(rows_, entries, levels_));
    lanes_ = static_cast<int>(scheme_.integer("lanes"));
    const order::TaskRanges ranges(order_.level_begin(), warp_width / lanes_);
    tasks_ = ranges.tasks();
    backends::check_teams_in_order(ceil_div<std::int64_t>(tasks_, warps_per_team),
                                   "a sweep over " + std::to_string(rows_) + " rows",
                                   "pin a scheme with fewer lanes");
    table_ = order::TaskTable<Exec>(exec, ranges, order_.level_begin());
    residency_ = {static_cast<int>(scheme_.integer("warps"))};
    exec.fence("heddle::gauss_seidel::ordered");
    order_ = {};  // what is kept of it lies in the rows' copy
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return levels_; }
  std::size_t bytes() const { return table_.bytes() + solve_.bytes(); }

  template <Start start>
  void run(const Exec& exec, const RowsView<S, O, Off>& view, const Pass<S>& pass) {
    for (int first = 0; first < pass.x.count; first += room_) {
      const Pass<S> part = pass.slice(first, std::min(room_, pass.x.count - first));
      if (lanes_ == 1) {
        with_lanes<start, 1>(exec, view, part);
      } else if (lanes_ == 4) {
        with_lanes<start, 4>(exec, view, part);
      } else {
        with_lanes<start, 32>(exec, view, part);
      }
    }
  }

 private:
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;
  static constexpr int warps_per_team = sptrsv::team_threads / warp_width;

  template <Start start, int Lanes>
  void with_lanes(const Exec& exec, const RowsView<S, O, Off>& view, const Pass<S>& pass) {
    if (pass.x.count > 1) return launch<start, Lanes, 2, sptrsv::vectors_at_once>(exec, view, pass);
    launch<start, Lanes, Lanes == 1 ? 8 : 4, 1>(exec, view, pass);
  }

  template <Start start, int Lanes, int Batch, int Vectors>
  void launch(const Exec& exec, const RowsView<S, O, Off>& view, const Pass<S>& pass) {
    using Shape = backends::Shape<Lanes, sptrsv::team_threads>;
    using Kernel = HandOverKernel<S, O, Off, start, Batch, Vectors>;
    if (rows_ == 0) return;
    const std::int64_t teams = ceil_div<std::int64_t>(tasks_, warps_per_team);
    solve_.run(exec, pass.x.count, [&](const auto& solved, const auto& tickets) {
      const Kernel kernel{view, pass, solved, table_.tasks(), tasks_, teams};
      backends::launch_by_ticket<Shape>(exec, "heddle::gauss_seidel::hand_over", teams, kernel,
                                        tickets, 0, residency_);
    });
  }

  Scheme scheme_;
  std::int64_t rows_ = 0;
  int room_ = 1, lanes_ = 1, levels_ = 0;
  order::LevelOrder<Exec, O> order_;
  std::int64_t tasks_ = 0;
  order::TaskTable<Exec> table_;
  handover::GpuSolve<Exec, S> solve_;
  backends::Residency residency_;
};

}  // namespace heddle::detail::gauss_seidel
