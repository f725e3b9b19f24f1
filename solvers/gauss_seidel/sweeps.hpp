// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>

#include "../../backends/loops.hpp"
#include "../wavefronts/wavefronts.hpp"
#include "choose.hpp"
#include "core.hpp"
#include "hand_over.hpp"
#include "options.hpp"
#include "rows.hpp"

namespace heddle::detail::gauss_seidel {

/// What a half sweep is inspected with. The references live as long as the call.
template <ExecutionSpace Exec, class Copy>
struct SweepInspection {
  const Exec& exec;
  const typename Copy::Source& A;
  RowOrder<typename Copy::O> order;
  std::int64_t rows;  ///< of a vector
  int vectors;
  int threads;
};

/// Half sweeps of one side: the order of its rows, and its copy in that order, which is SideRows or
/// BlockRows; of these a row is a row of blocks.
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

  /// Without a scheme the wavefronts' own choice. Allocates, and waits for in.exec. No values yet.
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

  /// The other side in the same order, for one thread that adds both up.
  Copy other_side(const Exec& exec, const typename Copy::Source& A) const {
    return Copy(exec, A, {side_.order, !side_.forward}, {waves_.place_order(), side_.order});
  }

  /// Start::rest: `rest` is other_side, and the scheme is sequential.
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
/// over the other side is what the half sweep before has kept; where there is none, a pass over
/// that side finds it, which waits for nobody.
template <ExecutionSpace Exec, class Copy>
class Sweeps final : public Executor<Exec, typename Copy::matrix_type> {
 public:
  using Matrix = typename Copy::matrix_type;
  using S = typename Copy::S;
  using Space = typename Exec::memory_space;

  /// Allocates, and waits for in.exec. No values yet. Where no scheme is pinned, both halves run
  /// the same.
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
    const auto n = static_cast<std::size_t>(in.rows);
    const auto count = static_cast<std::size_t>(options.vectors.count);
    memory_ = Arena<Space>(in.exec, "heddle::gauss_seidel::kept", arena_bytes<S>(n * count));
    kept_.data = memory_.template take<S>(n * count).data();
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
      // From zero the half sweep after the first needs no sum.
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
    // With the parameters that the first took, so that one scheme says what both run.
    const bool alike = Inspected::hands_over && halves_[0];
    halves_[1].emplace(in, false, alike ? std::optional(halves_[0]->scheme()) : scheme);
  }

  /// On one thread, which may, a one-sided half sweep adds up both sides in one pass.
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
  Copy rest_;                                       // of one-sided sweeps
  Arena<Space> memory_;
  Multivector<S> kept_;
};

}  // namespace heddle::detail::gauss_seidel
