// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/unroll.hpp"
#include "../ordered/schedule.hpp"
#include "../ordered/solved_values.hpp"
#include "../sptrsv/select/tuning.hpp"
#include "../wavefronts/wavefronts.hpp"
#include "choose.hpp"
#include "core.hpp"
#include "options.hpp"
#include "rows.hpp"

namespace heddle::detail::gauss_seidel {

/// The entries of a batch, for EntryBatch.
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

/// A half sweep on a GPU in one launch: a warp for each task of rows of one level, a subwarp for
/// each row. Values of other rows arrive in words that are their own flags, by row; a lane polls
/// Batch of them at once, and the lanes of a warp poll until all have arrived. b, x and the kept
/// sum of the other side are read before the wait; a row reads x only at its own place.
///
/// Termination: no lane waits for a lane of its warp, since the rows of a task are of one level.
/// The rows that they need belong to other warps of this team, or to teams of a lower ticket. So
/// the lowest task that has not ended waits for no other.
///
/// Deterministic: a row is summed up by the same lanes in the same order every time. Source: W. Liu
/// et al., "A synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016,
/// which has flags separate from values.
template <Scalar S, Ordinal O, Offset Off, Start start, int Batch, int Vectors>
struct HandOverKernel {
  /// Scratch that is allocated but unused: it limits the number of resident teams, since warps that
  /// poll for rows far ahead slow down the others.
  using Scratch = backends::DynamicScratch;
  using Entries = HandedOver<S, O>;

  ordered::RowsView<S, O, Off> view;
  HalfSweep<S> pass;
  ordered::SolvedValues<S> solved;
  const ordered::Task* tasks;
  std::int64_t count;  ///< number of tasks
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

/// Half sweeps of one side on a GPU, by HandOverKernel: its rows level by level, and the words for
/// their values.
template <ExecutionSpace Exec, class Matrix>
class HandOver {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Finds levels. Allocates, and waits for `exec`.
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
  /// Resolves the scheme for a side with `entries` entries off the diagonal. Allocates, and waits.
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

/// Arguments of the inspection of a half sweep. The references must live during the call.
template <ExecutionSpace Exec, class Copy>
struct SweepInspection {
  const Exec& exec;
  const typename Copy::Source& A;
  RowOrder<typename Copy::O> order;
  std::int64_t rows;  ///< rows of a vector
  int vectors;
  int threads;
};

/// Half sweeps of one side: the order of its rows, and its copy in that order. The copy is
/// SideRows, or BlockRows, whose rows are block rows.
template <ExecutionSpace Exec, class Copy>
class Half {
 public:
  using Matrix = typename Copy::matrix_type;
  using S = typename Copy::S;
  using O = typename Copy::O;
  using Off = typename Copy::Off;
  using View = typename Copy::View;
  static constexpr bool on_threads = ordered::on_threads<Exec>;
  static constexpr bool hands_over =
      Copy::are_rows && backends::has_lanes<Exec> && backends::waits_make_progress<Exec>;

  /// Makes them without values; without a scheme wavefronts choose. Allocates, waits for in.exec.
  Half(const SweepInspection<Exec, Copy>& in, bool forward, const std::optional<Scheme>& scheme)
      : side_{in.order, forward} {
    if constexpr (hands_over) {
      if (scheme && scheme->has("hand-over")) {
        hand_over_.emplace(in.exec, in.A, side_, *scheme, in.vectors);
        rows_ = Copy(in.exec, in.A, side_, {hand_over_->place_order(), in.order});
        hand_over_->cut(in.exec, rows_.entries());
        scheme_ = hand_over_->scheme();
        return;
      }
    }
    waves_ = schedule(in, forward, scheme);
    rows_ = Copy(in.exec, in.A, side_, {waves_.place_order(), in.order});
    scheme_ = as_gauss_seidel(waves_.scheme());
  }

  const Scheme& scheme() const { return scheme_; }
  bool sequential() const { return scheme_.has("sequential"); }
  int levels() const { return hand_over_ ? hand_over_->levels() : waves_.levels(); }
  std::size_t bytes() const {
    return rows_.bytes() + waves_.bytes() + (hand_over_ ? hand_over_->bytes() : 0);
  }
  void update_values(const Exec& exec, const Matrix& A, heddle::RealOf<S> omega,
                     std::int64_t* bad) {
    rows_.update_values(exec, A, omega, bad);
  }

  /// The other side in the same order, for Start::rest.
  Copy other_side(const Exec& exec, const typename Copy::Source& A) const {
    return Copy(exec, A, {side_.order, !side_.forward}, {waves_.place_order(), side_.order});
  }

  /// Runs a half sweep. With Start::rest, `rest` is other_side, and the scheme is sequential.
  template <Start start>
  void run(const Exec& exec, const HalfSweep<S>& pass, const View& rest = {}) {
    if constexpr (hands_over) {
      if (hand_over_) return hand_over_->template run<start>(exec, rows_.view(), pass);
    }
    rows_.template with_sweep<start>(rest, pass, [&](const auto& kernel) { launch(exec, kernel); });
  }
  const Copy& rows() const { return rows_; }

 private:
  using Waves = Wavefronts<Exec, O>;

  Waves schedule(const SweepInspection<Exec, Copy>& in, bool forward,
                 const std::optional<Scheme>& scheme) const {
    WavefrontsOptions options{.sweep = forward ? SweepDirection::forward : SweepDirection::backward,
                              .threads = in.threads,
                              .least_gain = side_.order.rank ? 1 : least_gain};
    if constexpr (on_threads) {
      if (scheme && scheme->has("sequential")) {
        return Waves::in_order(in.exec, in.A.rows(), options.sweep);
      }
    }
    if (scheme) options.scheme = as_wavefronts(*scheme);
    return Waves(in.exec, in.A.rows(),
                 SideReads<O, Off>{in.A.row_ptr().data(), in.A.col_idx().data(), side_}, options);
  }

  template <class Kernel>
  void launch(const Exec& exec, const Kernel& kernel) const {
    if constexpr (on_threads) {
      waves_.for_each_run(exec, "heddle::gauss_seidel::rows", kernel);
    } else {
      waves_.for_each_place(exec, "heddle::gauss_seidel::level", kernel);
    }
  }

  Side<O> side_;
  Waves waves_;
  Copy rows_;
  struct NoHandOver {
    const Scheme& scheme() const;
    int levels() const { return 0; }
    std::size_t bytes() const { return 0; }
  };
  std::optional<std::conditional_t<hands_over, HandOver<Exec, Matrix>, NoHandOver>> hand_over_;
  Scheme scheme_;
};

/// Sweeps in one order of the rows, by half sweeps that each read one side of the matrix. The sum
/// over the other side is kept from the half sweep before, or computed by a pass over that side
/// without waits.
template <ExecutionSpace Exec, class Copy>
class Sweeps final : public Executor<Exec, typename Copy::matrix_type> {
 public:
  using Matrix = typename Copy::matrix_type;
  using S = typename Copy::S;
  using Space = typename Exec::memory_space;

  /// Makes both halves without values. Allocates, and waits for in.exec. If no scheme is pinned,
  /// both halves run the same one.
  Sweeps(const SweepInspection<Exec, Copy>& in, const GaussSeidelOptions& options,
         const std::optional<Scheme>& scheme)
      : options_(options) {
    make_halves(in, scheme);
    const bool mixed = symmetric() && halves_[0]->scheme() != halves_[1]->scheme();
    if (Inspected::on_threads && mixed) {
      for (auto& half : halves_) half.reset();
      make_halves(in, Scheme("gauss-seidel", {{"sequential"}}));
    }
    if (!symmetric()) rest_ = first().other_side(in.exec, in.A);
    const auto count = static_cast<std::size_t>(options.vectors.count);
    memory_ = Arena<Space>(in.exec, "heddle::gauss_seidel::kept",
                           arena_array(kept_.data, in.rows * count));
    kept_.rows = in.rows;
    kept_.row_stride = options.vectors.several_apart() ? 1 : options.vectors.count;
    kept_.vector_stride = options.vectors.several_apart() ? in.rows : 1;
  }

  const Scheme& scheme(bool forward) const override { return half(forward).scheme(); }
  int levels(bool forward) const override { return half(forward).levels(); }
  bool has(bool forward) const override { return halves_[forward ? 0 : 1].has_value(); }
  std::size_t bytes() const override {
    std::size_t bytes = rest_.bytes() + memory_.bytes();
    for (const auto& half : halves_) bytes += half ? half->bytes() : 0;
    return bytes;
  }

  void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad_diagonal) override {
    const auto omega = static_cast<heddle::RealOf<S>>(options_.omega);
    for (auto& half : halves_) {
      if (half) half->update_values(exec, A, omega, bad_diagonal);
    }
    if (!symmetric()) rest_.update_values(exec, A, omega, nullptr);
  }

  void run(const Exec& exec, const SweepVectors<S>& vectors, int sweeps, bool from_zero) override {
    const bool wants_residual = vectors.residual.data != nullptr;
    HalfSweep<S> pass{S(static_cast<heddle::RealOf<S>>(options_.omega)), vectors.b, vectors.x,
                      kept_, false};
    pass.kept.count = vectors.x.count;
    const int steps = (symmetric() ? 2 : 1) * sweeps;
    for (int step = 0; step < steps; ++step) {
      const bool last = step + 1 == steps;
      Inspected& half = symmetric() && step % 2 == 1 ? *halves_[1] : first();
      // From zero, the second half sweep needs no sum.
      const bool next_reads = symmetric() && !last && !(from_zero && step == 0);
      pass.keeps = next_reads || (last && wants_residual);
      if (from_zero && step == 0) {
        half.template run<Start::zero>(exec, pass);
      } else if (from_zero && step == 1 && symmetric()) {
        half.template run<Start::one_half>(exec, pass);
      } else if (!run_both_sides(exec, half, pass)) {
        if (!symmetric() || step == 0) add_up(exec, other(), pass);
        half.template run<Start::kept>(exec, pass);
      }
    }
    if (!wants_residual || steps <= 0) return;
    find_residual(exec, symmetric() ? halves_[0]->rows() : rest_, pass, vectors.residual);
  }

 private:
  using Inspected = Half<Exec, Copy>;

  bool symmetric() const { return options_.sweep == SweepDirection::symmetric; }
  Inspected& first() { return halves_[0] ? *halves_[0] : *halves_[1]; }
  const Inspected& half(bool forward) const { return *halves_[forward ? 0 : 1]; }
  /// The side that the first half sweep does not solve for.
  const Copy& other() { return symmetric() ? halves_[1]->rows() : rest_; }

  void make_halves(const SweepInspection<Exec, Copy>& in, const std::optional<Scheme>& scheme) {
    if (options_.sweep != SweepDirection::backward) halves_[0].emplace(in, true, scheme);
    if (options_.sweep == SweepDirection::forward) return;
    // The parameters of the first half, so that one scheme describes both.
    const bool alike = Inspected::hands_over && halves_[0];
    halves_[1].emplace(in, false, alike ? std::optional(halves_[0]->scheme()) : scheme);
  }

  /// If one thread runs a one-sided half sweep, it sums up both sides in one pass.
  bool run_both_sides(const Exec& exec, Inspected& half, const HalfSweep<S>& pass) {
    if constexpr (Inspected::on_threads) {
      if (symmetric() || !half.sequential()) return false;
      half.template run<Start::rest>(exec, pass, rest_.view());
      return true;
    }
    return false;
  }
  void add_up(const Exec& exec, const Copy& side, const HalfSweep<S>& pass) {
    side.template with_side<false>(pass, pass.kept, [&](const auto& kernel) {
      parallel_for(exec, "heddle::gauss_seidel::other_side", side.places(), kernel);
    });
  }
  void find_residual(const Exec& exec, const Copy& side, const HalfSweep<S>& pass,
                     const Multivector<S>& residual) {
    side.template with_side<true>(pass, residual, [&](const auto& kernel) {
      parallel_for(exec, "heddle::gauss_seidel::residual", side.places(), kernel);
    });
  }

  GaussSeidelOptions options_;
  std::array<std::optional<Inspected>, 2> halves_;  // forward and backward
  Copy rest_;                                       // for one-sided sweeps
  Arena<Space> memory_;
  Multivector<S> kept_;
};

}  // namespace heddle::detail::gauss_seidel
