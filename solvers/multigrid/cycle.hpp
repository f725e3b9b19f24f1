// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "small_levels.hpp"

/// The V cycle.
namespace heddle::detail::multigrid {

template <ExecutionSpace Exec, class Matrix>
class Cycle {
 public:
  using S = typename Matrix::scalar_type;
  using Levels = std::vector<Level<Exec, Matrix>>;

  Cycle(const Exec& exec, Levels& levels, const SmallLaunch<Exec, Matrix>& small_levels,
        const MultigridOptions& options)
      : exec_(exec), levels_(levels), small_levels_(small_levels), options_(options) {}

  /// x = M b on level l and all below.
  void run(std::size_t l, const Multivector<const S>& b, const Multivector<S>& x) const {
    Level<Exec, Matrix>& level = levels_[l];
    if (level.inverse_of_all) return level.inverse_of_all->apply(exec_, b, x);
    if (level.small) return small_levels_.run(exec_, levels_, l, options_, b, x);
    const auto q = vectors_of(level.q, x.rows, x.count);
    before(level, b, x, q);
    if (!level.transfer) {
      if (level.sweeps) after(level, b, x);  // for symmetry
      return;
    }
    Level<Exec, Matrix>& next = levels_[l + 1];
    const std::int64_t coarse_rows = next.A.rows();
    const auto coarse_b = vectors_of(next.b, coarse_rows, x.count);
    const auto coarse_x = vectors_of(next.x, coarse_rows, x.count);
    level.transfer->restrict_to->execute(exec_, Op::none, S(1), to_read(q), S(0), coarse_b);
    run(l + 1, to_read(coarse_b), coarse_x);
    level.transfer->prolong->execute(exec_, Op::none, S(1), to_read(coarse_x), S(1), x);
    after(level, b, x);
  }

 private:
  /// Smooths from zero; if there is a correction to come, q = b - A x.
  void before(Level<Exec, Matrix>& level, const Multivector<const S>& b, const Multivector<S>& x,
              const Multivector<S>& q) const {
    if (level.sweeps) {
      const auto residual = level.transfer ? q : Multivector<S>{};
      return level.sweeps->before(exec_, b, x, residual, options_.degree);
    }
    smooth(level, b, x, true);
    if (!level.transfer) return;
    level.product->execute(exec_, Op::none, S(1), to_read(x), S(0), q);
    pass("heddle::multigrid::residual", b, x, [&](int first, int count) {
      return ResidualPass<S>{{}, q.slice(first, count), b.slice(first, count)};
    });
  }
  void after(Level<Exec, Matrix>& level, const Multivector<const S>& b,
             const Multivector<S>& x) const {
    if (level.sweeps) return level.sweeps->after(exec_, b, x, options_.degree);
    smooth(level, b, x, false);
  }
  void smooth(Level<Exec, Matrix>& level, const Multivector<const S>& b, const Multivector<S>& x,
              bool from_zero) const {
    const auto q = vectors_of(level.q, x.rows, x.count);
    const Multivector<const S> inverse{level.inverse, 1, 0, x.rows, x.count};
    for (int step = 0; step < options_.degree; ++step) {
      const SmoothingStep numbers = smoothing_step(options_.smoother, options_.degree, step);
      const auto step_of = [&]<bool zero>(int first, int count) {
        return SmoothPass<S, zero>{{},
                                   x.slice(first, count),
                                   b.slice(first, count),
                                   to_read(q.slice(first, count)),
                                   inverse.slice(first, count),
                                   numbers,
                                   level.numbers};
      };
      if (from_zero && step == 0) {
        pass("heddle::multigrid::smooth_from_zero", b, x,
             [&](int first, int count) { return step_of.template operator()<true>(first, count); });
      } else {
        level.product->execute(exec_, Op::none, S(1), to_read(x), S(0), q);
        pass("heddle::multigrid::smooth", b, x, [&](int first, int count) {
          return step_of.template operator()<false>(first, count);
        });
      }
    }
  }

  /// make(first, count), for all vectors, as many at a time as a launch takes.
  template <class Make>
  void pass(const char* label, const Multivector<const S>& b, const Multivector<S>& x,
            const Make& make) const {
    const bool unit_stride = vectors::has_unit_stride(b) && vectors::has_unit_stride(x);
    vectors::in_slices(x.count, [&](int first, int count) {
      vectors::stream(exec_, label, x.rows, count, unit_stride, make(first, count));
    });
  }

  const Exec& exec_;
  Levels& levels_;
  const SmallLaunch<Exec, Matrix>& small_levels_;
  const MultigridOptions& options_;
};

}  // namespace heddle::detail::multigrid
