// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../backends/cooperative.hpp"
#include "../../backends/lanes.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "level.hpp"

/// V, W and K cycles, for both ways to run them: level by level in launches, or in one launch.
namespace heddle::detail::multigrid {

/// x = M b on levels `first` to `last`, of which `last` is solved. `on` runs each of these steps
/// for a level l, and knows the vectors of each level. again(l) completes a visit of level l, and
/// returns whether another one follows.
HEDDLE_NO_EXECUTION_CHECK
template <class On>
KOKKOS_FORCEINLINE_FUNCTION void run_cycle(On& on, int first, int last) {
  int l = first;
  do {
    for (; l < last; ++l) {
      on.smooth_from_zero(l);
      on.restrict_residual(l);
    }
    on.solve(last);
    while (l > first && !on.again(l)) {
      --l;
      on.correct(l);
      on.smooth(l);
    }
  } while (l > first);
}

/// Levels in their second visit.
class SecondVisits {
 public:
  KOKKOS_FORCEINLINE_FUNCTION bool has(int l) const { return (levels_ >> l & 1) != 0; }
  /// Begins the second visit of a level, or ends it; returns whether it begins.
  KOKKOS_FORCEINLINE_FUNCTION bool turn(int l) {
    levels_ ^= std::uint64_t{1} << l;
    return has(l);
  }

 private:
  std::uint64_t levels_ = 0;
};

// Levels so small that launches dominate their cost: one launch runs all of them, and its teams
// wait for each other.

template <class Matrix>
struct SmallLevel {
  using S = typename Matrix::scalar_type;
  spectrum::CsrRows<Matrix> A, restriction,
      prolongation;                   ///< restriction, prolongation: from and to the finer level
  const S* inverse_of_all = nullptr;  ///< dense inverse; null if the level is smoothed
  const S* inverse = nullptr;
  const SpectrumNumbers* numbers = nullptr;
  Multivector<const S> b;
  Multivector<S> restricted;  ///< b, to write; not on the first level
  Multivector<S> x, q, d;
};

/// `count` levels, the last of which is inverted or smoothed. A K cycle is a W cycle here: its dots
/// would need barriers of all teams. The second visit of a level begins with smoothing steps from
/// x, which is the same as a cycle for the residual, and needs no vector more. A smoothing step
/// reads rows of others, so it writes to another vector than it reads: x and q alternate, and x has
/// the result at the end. Computes the same as separate launches, up to the order of sums.
template <class Matrix>
struct SmallLevels {
  using S = typename Matrix::scalar_type;
  using Scratch = backends::NoScratch;
  using Shape = spectrum::RowsShape;
  static constexpr int most = 8;

  SmallLevel<Matrix> levels[most];
  SmoothingStep steps[most_degree];
  int count, degree;
  bool twice;        ///< whether levels between the first and the last are visited twice
  bool first_twice;  ///< whether the first one is too
  double correction;

  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch&) const {
    Steps<All> steps{*this, all, {}};
    run_cycle(steps, 0, count - 1);
    if (first_twice && steps.again(0)) run_cycle(steps, 0, count - 1);
  }

 private:
  /// The steps of run_cycle. b is restricted at the start of x, which saves a barrier.
  template <class All>
  struct Steps {
    const SmallLevels& of;
    const All& all;
    SecondVisits second;

    KOKKOS_FORCEINLINE_FUNCTION bool again(int l) {
      return of.twice && l + 1 < of.count && second.turn(l);
    }
    KOKKOS_FORCEINLINE_FUNCTION void smooth_from_zero(int l) const {
      if (!second.has(l)) return of.go_down(all, l, false);
      for (int step = 0; step < of.degree; ++step) of.smooth(all, l, step, 2 * of.degree - step);
    }
    KOKKOS_FORCEINLINE_FUNCTION void restrict_residual(int l) const { of.find_residual(all, l); }
    KOKKOS_FORCEINLINE_FUNCTION void solve(int l) const { of.go_down(all, l, true); }
    KOKKOS_FORCEINLINE_FUNCTION void correct(int l) const { of.correct(all, l); }
    KOKKOS_FORCEINLINE_FUNCTION void smooth(int l) const {
      for (int step = 0; step < of.degree; ++step) of.smooth(all, l, step, of.degree - step);
    }
  };

  /// The vector that holds x of level l if `steps_to_come` steps follow.
  KOKKOS_FORCEINLINE_FUNCTION Multivector<S> before(int l, int steps_to_come) const {
    return steps_to_come % 2 == 0 ? levels[l].x : levels[l].q;
  }
  /// body(row, vector, subwarp) by the subwarps of all teams, then a barrier of all teams.
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
  /// The change of an entry of x in a step.
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
  /// Restricts b from the finer level, and smooths x from zero.
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void go_down(const All& all, int l, bool is_last) const {
    const SmallLevel<Matrix>& level = levels[l];
    const int behind = is_last ? 0 : degree;
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
  }
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void find_residual(const All& all, int l) const {
    const SmallLevel<Matrix>& level = levels[l];
    const Multivector<S> x = before(l, degree);
    each_row(all, level.d, [&](std::int64_t row, int v, const auto& subwarp) {
      const S product = level.A.times(subwarp, row, x, v);
      if (subwarp.lane() == 0) level.d(row, v) = level.b(row, v) - product;
    });
  }
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void correct(const All& all, int l) const {
    const SmallLevel<Matrix>& behind = levels[l + 1];
    const Multivector<S> x = before(l, degree);
    const S factor(static_cast<heddle::RealOf<S>>(this->correction));
    each_row(all, x, [&](std::int64_t row, int v, const auto& subwarp) {
      const S correction = behind.prolongation.times(subwarp, row, behind.x, v);
      if (subwarp.lane() == 0) x(row, v) += factor * correction;
    });
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

/// Launches SmallLevels.
template <ExecutionSpace Exec, class Matrix>
class SmallLaunch {
 public:
  using S = typename Matrix::scalar_type;
  using Levels = std::vector<Level<Exec, Matrix>>;

  SmallLaunch() = default;
  explicit SmallLaunch(const Exec& exec)
      : memory_(exec, "heddle::multigrid::meetings", arena_array(meeting_words_, 2)) {
    int* const words = meeting_words_;
    fill(exec, "heddle::multigrid::clear_meetings", words, 2, 0);
    meeting_ = {words, words + 1};
  }

  /// x = M b on level l and the coarser ones, which are small. `below_others`: for a W or K cycle
  /// of finer levels, which visits this one twice. No wait, no allocation.
  void run(const Exec& exec, Levels& levels, std::size_t l, const Shared<Exec, Matrix>& shared,
           bool below_others, const Multivector<const S>& b, const Multivector<S>& x) const {
    using Kernel = SmallLevels<Matrix>;
    const MultigridOptions& options = shared.options;
    Kernel kernel;
    kernel.twice = options.cycle != MultigridCycle::v;
    kernel.first_twice = kernel.twice && below_others;
    kernel.correction = shared.correction();
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
    small.A = spectrum::CsrRows<Matrix>::of(level.A);
    small.inverse = level.inverse;
    small.numbers = level.numbers;
    small.q = vectors_of(level.q, rows, x.count);
    small.d = vectors_of(level.d, rows, x.count);
    if (level.solve) small.inverse_of_all = level.solve->inverse();
    if (is_first) {
      small.b = b;
      small.x = x;
      return small;
    }
    const auto& coarsening = *levels[l - 1].coarsening;
    small.restriction = spectrum::CsrRows<Matrix>::of(coarsening.restriction.matrix());
    small.prolongation = spectrum::CsrRows<Matrix>::of(coarsening.prolongation->matrix());
    small.x = vectors_of(level.x, rows, x.count);
    small.restricted = vectors_of(level.b, rows, x.count);
    small.b = to_read(small.restricted);
    return small;
  }

  int* meeting_words_ = nullptr;
  Arena<typename Exec::memory_space> memory_;
  backends::MeetingWords meeting_;
};

/// The steps of run_cycle as launches, level by level. Small levels are solved by one launch.
template <ExecutionSpace Exec, class Matrix>
class Cycle {
 public:
  using S = typename Matrix::scalar_type;
  using Levels = std::vector<Level<Exec, Matrix>>;

  Cycle(const Exec& exec, Levels& levels, const SmallLaunch<Exec, Matrix>& small_levels,
        const Shared<Exec, Matrix>& shared)
      : exec_(exec), levels_(levels), small_levels_(small_levels), shared_(shared) {}

  /// x = M b on level l and the coarser ones.
  void run(std::size_t l, const Multivector<const S>& b, const Multivector<S>& x) {
    first_ = static_cast<int>(l);
    b_ = b;
    x_ = x;
    int last = first_;
    while (level(last).coarsening && !level(last).small) ++last;
    run_cycle(*this, first_, last);
  }

  bool again(int l) {
    const auto& inner = level(l).inner;
    if (!inner) return false;
    const Multivector<S> own_b = own(level(l).b, l), own_x = own(level(l).x, l);
    if (second_.turn(l)) {
      inner->after_first(exec_, shared_, *level(l).product, own_b, own_x);
      return true;
    }
    inner->after_second(exec_, shared_, *level(l).product, own_b, own_x, residual(l));
    return false;
  }

  void smooth_from_zero(int l) const {
    level(l).smoother->before(exec_, level(l), b(l), x(l), residual(l));
  }
  void restrict_residual(int l) const {
    level(l).coarsening->restrict_to->execute(exec_, Op::none, S(1), to_read(residual(l)), S(0),
                                              own(level(l + 1).b, l + 1));
  }
  void solve(int l) const {
    const auto& last = level(l);
    if (last.solve) return last.solve->apply(exec_, b(l), x(l));
    if (last.own_solve) {
      return backends::record_captured(
          exec_, [&] { last.own_solve->apply(exec_, view_of<Exec>(b(l)), view_of<Exec>(x(l))); });
    }
    if (!last.small) return last.smoother->solve(exec_, last, b(l), x(l));
    small_levels_.run(exec_, levels_, static_cast<std::size_t>(l), shared_, l > first_, b(l), x(l));
  }
  void correct(int l) const {
    const S factor(static_cast<heddle::RealOf<S>>(shared_.correction()));
    level(l).coarsening->prolong->execute(exec_, Op::none, factor, to_read(x(l + 1)), S(1), x(l));
  }
  void smooth(int l) const { level(l).smoother->after(exec_, level(l), b(l), x(l)); }

 private:
  const Level<Exec, Matrix>& level(int l) const { return levels_[static_cast<std::size_t>(l)]; }
  Multivector<S> own(S* data, int l) const { return vectors_of(data, level(l).A.rows(), x_.count); }
  Multivector<const S> b(int l) const { return l == first_ ? b_ : to_read(own(level(l).b, l)); }
  Multivector<S> x(int l) const {
    if (l == first_) return x_;
    return second_.has(l) ? level(l).inner->second(x_.count) : own(level(l).x, l);
  }
  Multivector<S> residual(int l) const { return own(level(l).q, l); }

  const Exec& exec_;
  Levels& levels_;
  const SmallLaunch<Exec, Matrix>& small_levels_;
  const Shared<Exec, Matrix>& shared_;
  SecondVisits second_;
  int first_ = 0;
  Multivector<const S> b_;
  Multivector<S> x_;
};

}  // namespace heddle::detail::multigrid
