// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "../../core/loops.hpp"
#include "executor.hpp"
#include "half.hpp"

namespace heddle::detail::gauss_seidel {

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
  Sweeps(const Inspection<Exec, Copy>& in, const GaussSeidelOptions& options,
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
    Pass<S> pass{S(static_cast<heddle::RealOf<S>>(options_.omega)), vectors.b, vectors.x, kept_,
                 false};
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

  void make_halves(const Inspection<Exec, Copy>& in, const std::optional<Scheme>& scheme) {
    if (options_.sweep != SweepDirection::backward) halves_[0].emplace(in, true, scheme);
    if (options_.sweep == SweepDirection::forward) return;
    // With the parameters that the first took, so that one scheme says what both run.
    const bool alike = Inspected::hands_over && halves_[0];
    halves_[1].emplace(in, false, alike ? std::optional(halves_[0]->scheme()) : scheme);
  }

  /// On one thread, which may, a one-sided half sweep adds up both sides in one pass.
  bool run_both_sides(const Exec& exec, Inspected& half, const Pass<S>& pass) {
    if constexpr (Inspected::on_threads) {
      if (symmetric() || !half.sequential()) return false;
      half.template run<Start::rest>(exec, pass, rest_.view());
      return true;
    }
    return false;
  }
  void add_up(const Exec& exec, const Copy& side, const Pass<S>& pass) {
    side.template with_side<false>(pass, pass.kept, [&](const auto& kernel) {
      parallel_for(exec, "heddle::gauss_seidel::other_side", side.places(), kernel);
    });
  }
  void find_residual(const Exec& exec, const Copy& side, const Pass<S>& pass,
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
