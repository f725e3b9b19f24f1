// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../backends/cooperative.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "level.hpp"

/// Levels so small that launches are what they cost: all of them by one launch, whose teams wait
/// for each other.
namespace heddle::detail::multigrid {

template <class Matrix>
struct SmallLevel {
  using S = typename Matrix::scalar_type;
  SmallRows<Matrix> A, restriction, prolongation;  ///< the latter two from and to the level before
  const S* inverse_of_all = nullptr;               ///< dense, where there is no smoother
  const S* inverse = nullptr;
  const SpectrumNumbers* numbers = nullptr;
  Multivector<const S> b;
  Multivector<S> restricted;  ///< b, to write; not of the first
  Multivector<S> x, q, d;
};

/// The V cycle of `count` levels. A step of a smoother reads rows of others, so that it writes to
/// another vector than it reads: x and q by turns, such that x has the result. What separate
/// launches do, in other orders of sums.
template <class Matrix>
struct SmallLevels {
  using S = typename Matrix::scalar_type;
  using Scratch = backends::NoScratch;
  using Shape = SmallShape;
  static constexpr int most = 8;

  SmallLevel<Matrix> levels[most];
  SmoothingStep steps[most_degree];
  int count, degree;

  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch&) const {
    for (int l = 0; l < count; ++l) go_down(all, l);
    for (int l = count - 2; l >= 0; --l) go_up(all, l);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_last(int l) const { return l + 1 == count; }
  /// Where x of level l stands with so many steps to come.
  KOKKOS_FORCEINLINE_FUNCTION Multivector<S> before(int l, int steps_to_come) const {
    return steps_to_come % 2 == 0 ? levels[l].x : levels[l].q;
  }
  /// body(row, vector, subwarp), by all subwarps together, and then a barrier of all.
  template <class All, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(const All& all, const Multivector<S>& x,
                                            const Body& body) const {
    using Team = typename All::team_type;
    const Team& team = all.team();
    const std::int64_t subwarps = std::int64_t{Team::subwarps} * all.teams();
    for (std::int64_t row = team.index() * Team::subwarps + team.subwarp_index(); row < x.rows;
         row += subwarps) {
      for (int v = 0; v < x.count; ++v) body(row, v, team.subwarp());
    }
    all.barrier();
  }
  /// What a step adds to an entry of x.
  KOKKOS_FORCEINLINE_FUNCTION S step_by(const SmallLevel<Matrix>& level, int step, std::int64_t row,
                                        const S& residual) const {
    const auto factor = static_cast<heddle::RealOf<S>>(steps[step].of(*level.numbers));
    return S(factor) * (level.inverse[row] * residual);
  }
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void smooth(const All& all, int l, int step,
                                          int steps_to_come) const {
    const SmallLevel<Matrix>& level = levels[l];
    const Multivector<S> from = before(l, steps_to_come), to = before(l, steps_to_come - 1);
    each_row(all, to, [&](std::int64_t row, int v, const auto& subwarp) {
      const S residual = level.b(row, v) - level.A.times(subwarp, row, from, v);
      if (subwarp.lane() == 0) to(row, v) = from(row, v) + step_by(level, step, row, residual);
    });
  }
  /// b from the level before, x from zero, and the residual for the level behind in d.
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void go_down(const All& all, int l) const {
    const SmallLevel<Matrix>& level = levels[l];
    const int behind = is_last(l) ? 0 : degree;
    const Multivector<S> first = before(l, degree - 1 + behind);
    each_row(all, first, [&](std::int64_t row, int v, const auto& subwarp) {
      const S b =
          l == 0 ? level.b(row, v) : level.restriction.times(subwarp, row, levels[l - 1].d, v);
      if (subwarp.lane() != 0) return;
      if (l > 0) level.restricted(row, v) = b;
      if (!level.inverse_of_all) first(row, v) = step_by(level, 0, row, b);
    });
    if (level.inverse_of_all) return multiply_by_inverse(all, level);
    for (int step = 1; step < degree; ++step) smooth(all, l, step, degree - step + behind);
    if (is_last(l)) return;
    const Multivector<S> x = before(l, behind);
    each_row(all, level.d, [&](std::int64_t row, int v, const auto& subwarp) {
      const S product = level.A.times(subwarp, row, x, v);
      if (subwarp.lane() == 0) level.d(row, v) = level.b(row, v) - product;
    });
  }
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void go_up(const All& all, int l) const {
    const SmallLevel<Matrix>& behind = levels[l + 1];
    const Multivector<S> x = before(l, degree);
    each_row(all, x, [&](std::int64_t row, int v, const auto& subwarp) {
      const S correction = behind.prolongation.times(subwarp, row, behind.x, v);
      if (subwarp.lane() == 0) x(row, v) += correction;
    });
    for (int step = 0; step < degree; ++step) smooth(all, l, step, degree - step);
  }
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_by_inverse(const All& all,
                                                       const SmallLevel<Matrix>& level) const {
    each_row(all, level.x, [&](std::int64_t row, int v, const auto& subwarp) {
      S sum(0);
      for (std::int64_t j = subwarp.lane(); j < level.x.rows; j += subwarp.width) {
        sum += level.inverse_of_all[row * level.x.rows + j] * level.b(j, v);
      }
      sum = subwarp.sum(sum);
      if (subwarp.lane() == 0) level.x(row, v) = sum;
    });
  }
};

/// Vectors of a level's own, one after the other.
template <Scalar S>
Multivector<S> vectors_of(S* data, std::int64_t rows, int count) {
  return {data, 1, rows, rows, count};
}
template <Scalar S>
Multivector<const S> to_read(const Multivector<S>& v) {
  return {v.data, v.row_stride, v.vector_stride, v.rows, v.count};
}

/// Launches them.
template <ExecutionSpace Exec, class Matrix>
class SmallLaunch {
 public:
  using S = typename Matrix::scalar_type;
  using Levels = std::vector<Level<Exec, Matrix>>;

  SmallLaunch() = default;
  explicit SmallLaunch(const Exec& exec)
      : memory_(exec, "heddle::multigrid::meetings", arena_bytes<int>(2)) {
    int* const words = memory_.template take<int>(2).data();
    fill(exec, "heddle::multigrid::clear_meetings", words, 2, 0);
    meeting_ = {words, words + 1};
  }

  /// x = M b on level l and all below, which are small. No wait, no allocation.
  void run(const Exec& exec, Levels& levels, std::size_t l, const MultigridOptions& options,
           const Multivector<const S>& b, const Multivector<S>& x) const {
    using Kernel = SmallLevels<Matrix>;
    Kernel kernel;
    kernel.count = static_cast<int>(levels.size() - l);
    kernel.degree = options.degree;
    for (int step = 0; step < options.degree; ++step) {
      kernel.steps[step] = smoothing_step(options.smoother, options.degree, step);
    }
    for (std::size_t k = l; k < levels.size(); ++k) {
      kernel.levels[k - l] = of(levels, k, k == l, b, x);
    }
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    const auto wanted = ceil_div(x.rows, std::int64_t{Team::subwarps});
    const int most = backends::most_cooperative_teams<typename Kernel::Shape, Kernel>(exec);
    const int teams = static_cast<int>(std::min<std::int64_t>(wanted, most));
    backends::launch_cooperative<typename Kernel::Shape>(exec, "heddle::multigrid::small_levels",
                                                         teams, kernel, meeting_);
  }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  static SmallLevel<Matrix> of(Levels& levels, std::size_t l, bool is_first,
                               const Multivector<const S>& b, const Multivector<S>& x) {
    auto& level = levels[l];
    const std::int64_t rows = level.A.rows();
    SmallLevel<Matrix> small;
    small.A = SmallRows<Matrix>::of(level.A);
    small.inverse = level.inverse;
    small.numbers = level.numbers;
    small.q = vectors_of(level.q, rows, x.count);
    small.d = vectors_of(level.d, rows, x.count);
    if (level.inverse_of_all) small.inverse_of_all = level.inverse_of_all->inverse();
    if (is_first) {
      small.b = b;
      small.x = x;
      return small;
    }
    const auto& transfer = *levels[l - 1].transfer;
    small.restriction = SmallRows<Matrix>::of(transfer.restriction.matrix());
    small.prolongation = SmallRows<Matrix>::of(transfer.prolongation.matrix());
    small.x = vectors_of(level.x, rows, x.count);
    small.restricted = vectors_of(level.b, rows, x.count);
    small.b = to_read(small.restricted);
    return small;
  }

  Arena<typename Exec::memory_space> memory_;
  backends::MeetingWords meeting_;
};

// The V cycle.

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
