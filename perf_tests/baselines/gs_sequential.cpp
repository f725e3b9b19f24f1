// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain sequential loops over rows, on one thread: every half sweep reads whole rows, or one side
// of them if the sum over the other side was kept.
#include "../bench/gs/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = GsProblem<S, Off>;

class SequentialSweeps : public GsContestant<S> {
 public:
  SequentialSweeps(const Problem& problem, bool by_halves)
      : problem_(problem),
        by_halves_(by_halves),
        omega_(static_cast<RealOf<S>>(problem.options.omega)) {
    const auto& A = problem.A;
    const auto n = static_cast<std::size_t>(A.rows());
    diagonal_.resize(n);
    reciprocal_.resize(n);
    kept_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      Off k = A.row_ptr()(i);
      while (static_cast<std::size_t>(A.col_idx()(static_cast<std::size_t>(k))) != i) ++k;
      diagonal_[i] = k;
      reciprocal_[i] = omega_ / A.values()(static_cast<std::size_t>(k));
    }
  }

  void run(const Exec& exec) override {
    exec.fence("heddle::bench::sequential");
    for (int v = 0; v < problem_.columns; ++v) {
      const std::size_t n = diagonal_.size();
      const std::size_t step =
          problem_.row_major ? static_cast<std::size_t>(problem_.columns) : std::size_t{1};
      const std::size_t first = static_cast<std::size_t>(v) * (problem_.row_major ? 1 : n);
      if (step == 1) {
        sweeps<1>(problem_.b.data() + first, problem_.x.data() + first, step);
      } else {
        sweeps<0>(problem_.b.data() + first, problem_.x.data() + first, step);
      }
    }
  }
  std::size_t bytes() const override {
    const std::size_t kept = by_halves_ ? sizeof(S) : 0;
    return diagonal_.size() * (sizeof(Off) + sizeof(S) + kept);
  }

 private:
  /// Step: distance between entries if it is known at compile time, else 0.
  template <std::size_t Step>
  void sweeps(const S* b, S* x, std::size_t step) {
    if constexpr (Step) step = Step;
    const std::size_t n = diagonal_.size();
    const auto* const row_ptr = problem_.A.row_ptr().data();
    const auto* const col_idx = problem_.A.col_idx().data();
    const auto* const values = problem_.A.values().data();
    const auto without = [&](S sum, Off k, Off end) {
      for (; k < end; ++k) sum -= values[k] * x[static_cast<std::size_t>(col_idx[k]) * step];
      return sum;
    };
    const auto finish = [&](std::size_t i, S sum) {
      S& value = x[i * step];
      value =
          omega_ == S(1) ? sum * reciprocal_[i] : (S(1) - omega_) * value + sum * reciprocal_[i];
    };
    bool zero = problem_.from_zero;
    if (zero && !(by_halves_ && problem_.forward())) {
      for (std::size_t i = 0; i < n; ++i) x[i * step] = S(0);
    }
    for (int sweep = 0; sweep < problem_.sweeps; ++sweep) {
      if (problem_.forward()) {
        for (std::size_t i = 0; i < n; ++i) {
          kept_[i] = without(b[i * step], row_ptr[i], diagonal_[i]);
          if (zero && by_halves_) {
            x[i * step] = kept_[i] * reciprocal_[i];
          } else {
            finish(i, without(kept_[i], diagonal_[i] + 1, row_ptr[i + 1]));
          }
        }
        zero = false;
      }
      if (!problem_.backward()) continue;
      const bool known = by_halves_ && problem_.forward();
      for (std::size_t i = n; i-- > 0;) {
        S sum = known ? kept_[i] : without(b[i * step], row_ptr[i], diagonal_[i]);
        finish(i, without(sum, diagonal_[i] + 1, row_ptr[i + 1]));
      }
    }
  }

  Problem problem_;
  bool by_halves_;
  S omega_;
  std::vector<Off> diagonal_;
  std::vector<S> reciprocal_, kept_;
};

[[maybe_unused]] const bool whole = add_contestant<SequentialSweeps, Problem>(
    "sequential", "a loop over the rows of CSR, on one thread", false);
[[maybe_unused]] const bool halves = add_contestant<SequentialSweeps, Problem>(
    "sequential-halves", "the same, where the half sweep before has kept its sum by that", true);

}  // namespace

}  // namespace heddle::bench
