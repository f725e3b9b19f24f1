// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../wavefronts/wavefronts.hpp"
#include "choose.hpp"
#include "hand_over.hpp"
#include "options.hpp"
#include "rows.hpp"

namespace heddle::detail::gauss_seidel {

/// What a half sweep is inspected with. The references live as long as the call.
template <ExecutionSpace Exec, class Copy>
struct Inspection {
  const Exec& exec;
  const typename Copy::Source& A;
  RowOrder<typename Copy::O> order;
  std::int64_t rows;  ///< of a vector
  int vectors;
  int threads;
};

/// Half sweeps of one side: the order of its rows, and its copy in that order, which is Rows or
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
  Half(const Inspection<Exec, Copy>& in, bool forward, const std::optional<Scheme>& scheme)
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
  void run(const Exec& exec, const Pass<S>& pass, const View& rest = {}) {
    if constexpr (hands_over) {
      if (hand_over_) return hand_over_->template run<start>(exec, rows_.view(), pass);
    }
    rows_.template with_sweep<start>(rest, pass, [&](const auto& kernel) { launch(exec, kernel); });
  }
  const Copy& rows() const { return rows_; }

 private:
  using Waves = Wavefronts<Exec, O>;

  Waves schedule(const Inspection<Exec, Copy>& in, bool forward,
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

}  // namespace heddle::detail::gauss_seidel
