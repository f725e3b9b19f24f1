// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "../ordered/entry_batch.hpp"
#include "../ordered/schedule.hpp"
#include "../ordered/solved_values.hpp"
#include "../sptrsv/select/tuning.hpp"
#include "rows.hpp"
#include "rows_kernel.hpp"

namespace heddle::detail::gauss_seidel {

/// What a batch of entries is asked for.
template <Scalar S, Ordinal O>
struct HandedOver {
  using scalar_type = S;
  using ordinal_type = O;
  using vector_type = S;
  using accumulator_type = S;

  const O* needed;
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION S value(const S& entry) const { return entry; }
};

/// A half sweep on a GPU in one launch: a warp a task of rows of one level, a subwarp a row. What a
/// row solves for comes through words that are their own flags, by rows; every lane asks for Batch
/// of them at once, and the lanes of the warp ask again together until all are there. b, x and what
/// is kept of the other side are read before the wait; of x a row reads its own entry alone.
///
/// Why it ends: no lane waits for a lane of its warp, since the rows of a task are of one level;
/// what they need lies in tasks of other warps of this team, or of teams of a lower ticket. So the
/// lowest task that has not ended waits for nobody.
///
/// Deterministic: a row is added up by the same lanes in the same order every time. Source: W. Liu
/// et al., "A synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016,
/// which keeps a flag apart from the value.
template <Scalar S, Ordinal O, Offset Off, Start start, int Batch, int Vectors>
struct HandOverKernel {
  /// Asked for and not used: it limits the number of resident teams, since warps that poll for rows
  /// far ahead slow down the others.
  using Scratch = backends::DynamicScratch;
  using Entries = HandedOver<S, O>;

  ordered::RowsView<S, O, Off> view;
  HalfSweep<S> pass;
  ordered::SolvedValues<S> solved;
  const ordered::Task* tasks;
  std::int64_t count;  ///< of tasks
  std::int64_t teams;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Exec = typename Team::execution_space;
    constexpr int warp_width = backends::max_subwarp_width<Exec>;
    constexpr int warps = Team::threads / warp_width;
    const std::int64_t index = team.index() * warps + team.thread() / warp_width;
    const int set = solved.set();
    if (index < count) {
      const ordered::Task task = tasks[index];
      const int row_of_warp = team.thread() % warp_width / Team::subwarp_width;
      solve(team.subwarp(), backends::Subwarp<Exec, warp_width>(), task.first + row_of_warp,
            row_of_warp < task.rows, set);
    }
    team.barrier();
    if (team.thread() == 0) solved.end(set, teams);
  }

 private:
  template <class Subwarp, class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Subwarp& subwarp, const Warp& warp,
                                         std::int64_t place, bool exists, int set) const {
    if (!exists) place = 0;
    const Off last = view.row_ptr[place + 1] - 1;  // the diagonal
    const Off end = exists ? last : view.row_ptr[place];
    Off k = view.row_ptr[place] + subwarp.lane();
    const O row = view.col_idx[last];
    const bool writes = exists && subwarp.lane() == 0;
    S right[Vectors], old[Vectors];
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      const bool wanted = writes && v < solved.vectors;
      right[v] = wanted ? pass.template right_hand_side<start>(row, v) : S(0);
      old[v] = wanted ? pass.template share_of_old<start>(row, v) : S(0);
    }
    const S reciprocal = writes ? view.values[last] : S(1);
    if (writes) solved.empty(set, row);
    S sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = S(0);
    const Entries entries{view.col_idx, view.values};
    ordered::EntryBatch<Entries, Batch, Vectors> batch;
    for (; warp.any(k < end); k += Batch * Subwarp::width) {
      batch.load_row(entries, solved, k, end, Off(Subwarp::width));
      while (warp.any(!batch.look(solved, set))) {
      }
      batch.add_to(sum, entries);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      const S total = subwarp.sum_together(sum[v]);
      if (!writes || v >= solved.vectors) continue;
      const S value =
          old[v] + relaxed_quotient(view, right[v] - total, reciprocal, pass.omega, place);
      solved.sets[set].post(solved.at(row, v), 0, value);
      pass.x(row, v) = value;
      if (pass.keeps) pass.kept(row, v) = total;
    }
  }
};

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
    const ordered::Loop<O, SideReads<O, Off>> loop{
        A.rows(),
        side.forward ? SweepDirection::forward : SweepDirection::backward,
        ReadsAhead::error,
        {A.row_ptr().data(), A.col_idx().data(), side}};
    schedule_ = ordered::Schedule<Exec, O>::by_level(exec, A.rows(), loop.sweep,
                                                     ordered::Levels<Exec>(exec, loop));
    solve_ = ordered::GpuSolve<Exec, S>(exec, rows_, room_);
  }

  ordered::PlaceOrder<O> place_order() const { return schedule_.order(); }
  /// Resolves the scheme, once the side has `entries` off the diagonal. Allocates, and waits.
  void cut(const Exec& exec, std::int64_t entries) {
    scheme_ = sptrsv::resolved(scheme_, sptrsv::rows_shape(rows_, entries, levels()));
    lanes_ = static_cast<int>(scheme_.integer("lanes"));
    schedule_.cut_levels(exec, warp_width / lanes_);
    backends::check_teams_in_order(ceil_div<std::int64_t>(schedule_.task_count(), warps_per_team),
                                   "a sweep over " + std::to_string(rows_) + " rows",
                                   "pin a scheme with fewer lanes");
    residency_ = {static_cast<int>(scheme_.integer("warps"))};
    exec.fence("heddle::gauss_seidel::ordered");
    schedule_.forget_order();
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return schedule_.levels(); }
  std::size_t bytes() const { return schedule_.bytes() + solve_.bytes(); }

  template <Start start>
  void run(const Exec& exec, const ordered::RowsView<S, O, Off>& view, const HalfSweep<S>& pass) {
    for (int first = 0; first < pass.x.count; first += room_) {
      const HalfSweep<S> part = pass.slice(first, std::min(room_, pass.x.count - first));
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
  void with_lanes(const Exec& exec, const ordered::RowsView<S, O, Off>& view,
                  const HalfSweep<S>& pass) {
    if (pass.x.count > 1) return launch<start, Lanes, 2, sptrsv::vectors_at_once>(exec, view, pass);
    launch<start, Lanes, Lanes == 1 ? 8 : 4, 1>(exec, view, pass);
  }

  template <Start start, int Lanes, int Batch, int Vectors>
  void launch(const Exec& exec, const ordered::RowsView<S, O, Off>& view,
              const HalfSweep<S>& pass) {
    using Shape = backends::Shape<Lanes, sptrsv::team_threads>;
    using Kernel = HandOverKernel<S, O, Off, start, Batch, Vectors>;
    if (rows_ == 0) return;
    const std::int64_t teams = ceil_div<std::int64_t>(schedule_.task_count(), warps_per_team);
    solve_.run(exec, pass.x.count, [&](const auto& solved, const auto& tickets) {
      const Kernel kernel{view, pass, solved, schedule_.tasks(), schedule_.task_count(), teams};
      backends::launch_by_ticket<Shape>(exec, "heddle::gauss_seidel::hand_over", teams, kernel,
                                        tickets, 0, residency_);
    });
  }

  Scheme scheme_;
  std::int64_t rows_ = 0;
  int room_ = 1, lanes_ = 1;
  ordered::Schedule<Exec, O> schedule_;
  ordered::GpuSolve<Exec, S> solve_;
  backends::Residency residency_;
};

}  // namespace heddle::detail::gauss_seidel
