// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/unroll.hpp"
#include "../vectors/definitions.hpp"
#include "gmres.hpp"
#include "solver_definitions.hpp"

/// Defines what gmres.hpp declares. The lanes of one subwarp compute the small matrices, since one
/// thread would wait for each number that it reads, and for each instruction that it runs for the
/// first time.
namespace heddle {

namespace detail::krylov {

/// Begins a cycle after b - A x: one item.
template <Scalar S>
struct GmresBegin {
  GmresState<S> state;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    Progress& progress = *state.progress;
    *state.columns = 0;
    *state.first_scale = *state.largest_column = 0;
    state.loss_at(0, 0) = Wide<S>(Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>);
    if (!progress.running()) return;
    if (!progress.anew) begin_anew(progress);
    progress.unscaled = progress.anew = 0;
    const double norm = progress.residual * progress.scale;
    state.rotated_rhs[0] = Wide<S>(norm);
    *state.first_scale = progress.scale / norm;
  }
};

/// v = factor v, or zero if there is no next vector.
template <Scalar S>
struct GmresNormalize : vectors::Pass<Wide<S>> {
  Multivector<S> v;
  const double* factor;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(v, *factor > 0));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [factor = Pack::all(Wide<S>(*factor))](Pack& v) { v = Pack::multiply(factor, v); };
  }
};

/// Computes column j of the triangle from V' w and the norm of what is left of w: applies all
/// Givens rotations so far, and one more that turns the entry below the diagonal to zero.
template <Scalar S>
struct GmresColumn {
  using Sum = Wide<S>;
  GmresState<S> state;
  Limits limits;
  int j;

  /// Returns in lane 0 whether another vector follows.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION bool add(const Subwarp& subwarp, double below, bool twice) const {
    Sum* const column = state.hessenberg + std::int64_t{j} * state.m;
    const auto entry = [&](int i) {
      const Sum first = state.products[i];
      return twice ? first + state.corrections[i] * *state.unscale : first;
    };
    const Sum head = entry(0);
    Sum last = head;  // the entry above, not final yet
    double size = 0;
    for (int first = 0; first < j; first += Subwarp::width) {
      const int i = first + subwarp.lane();
      const Sum lower = i < j ? entry(i + 1) : Sum(0);
      const Sum sine = i < j ? state.givens_sine[i] : Sum(0);
      const double cosine = i < j ? state.givens_cosine[i] : 0;
      // The rotations from the first one of these on turn `last` into factor * last + more.
      Sum factor = i < j ? -conjugate(sine) : Sum(1), more = cosine * lower;
      for (int distance = 1; distance < Subwarp::width; distance *= 2) {
        const Sum factor_before = subwarp.shuffle_up(factor, distance);
        const Sum more_before = subwarp.shuffle_up(more, distance);
        if (subwarp.lane() >= distance) {
          more += factor * more_before;
          factor *= factor_before;
        }
      }
      const Sum turned = factor * last + more;
      const Sum turned_before = subwarp.shuffle_up(turned, 1);
      const Sum above = subwarp.lane() == 0 ? last : turned_before;
      if (i < j) column[i] = cosine * above + sine * lower;
      size += Kokkos::abs(lower);
      last = subwarp.broadcast(turned, Subwarp::width - 1);
    }
    size = subwarp.sum(size) + below + Kokkos::abs(head);
    return subwarp.lane() == 0 && close(column, last, size, below);
  }

 private:
  /// Computes the last entry of a column, in one thread.
  KOKKOS_FORCEINLINE_FUNCTION bool close(Sum* column, Sum last, double size, double below) const {
    Progress& progress = *state.progress;
    if (!Kokkos::isfinite(size)) return end(Outcome::not_a_number);
    if (size > *state.largest_column) *state.largest_column = size;
    const double diagonal = Kokkos::abs(last);
    const double length = Kokkos::hypot(diagonal, below);
    if (!(length > Kokkos::Experimental::epsilon_v<heddle::RealOf<S>> * *state.largest_column)) {
      return end(Outcome::breakdown);  // A M is singular to working precision
    }
    // The rotation turns (a, h) with a real h >= 0 into (a / |a| * length, 0).
    const Sum phase = diagonal > 0 ? last / diagonal : Sum(1);
    state.givens_cosine[j] = diagonal / length;
    state.givens_sine[j] = phase * (below / length);
    column[j] = phase * length;
    const Sum turned = state.rotated_rhs[j];
    state.rotated_rhs[j] = state.givens_cosine[j] * turned;
    state.rotated_rhs[j + 1] = -conjugate(state.givens_sine[j]) * turned;
    *state.columns = j + 1;
    advance(progress, limits, 0, Kokkos::abs(state.rotated_rhs[j + 1]), 1, Method().cost);
    return state.running() && below > 0;
  }
  /// Ends with a column that does not count: x is made of those before.
  KOKKOS_FORCEINLINE_FUNCTION bool end(Outcome outcome) const {
    Progress& progress = *state.progress;
    ++progress.iterations;
    progress.verified = 0;
    progress.outcome = outcome;
    record(progress, limits, 0, progress.carried);
    return false;
  }
};

/// Computes the norm of w - V h from h = V' w and w' w, by Pythagoras, and with it column j and the
/// factors of the next vector, if V stays orthogonal enough. Otherwise it requests the second pass
/// (reorthogonalization).
///
/// orthogonality_loss is an estimate of V' V - I. Its column for the next vector is -loss h plus
/// rounding, both divided by the norm of what is left: a recurrence with signs, after H. Simon, The
/// Lanczos algorithm with partial reorthogonalization (1984). Rounding is assumed to add to what is
/// there. (With absolute values it would grow tenfold and more each time, whatever V is.) The
/// triangle holds what is subtracted from w, so that a defect changes no solution: only the norm of
/// the residual from the rotations is wrong by that part of it.
template <Scalar S>
struct GmresProjection {
  using Sum = Wide<S>;
  /// Rounding error of V' w and w - V h, relative to the norm of w: sums take a few roundings.
  static constexpr double rounding = 8 * Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
  /// Largest relative error of a residual norm from rotations; a cycle ends with the true norm.
  static constexpr double most_defect = std::is_same_v<heddle::RealOf<S>, float> ? 1e-3 : 1e-6;
  /// Smallest part of w' w that is left after the second pass; less than that is rounding.
  static constexpr double least_left = 1e-10;
  static constexpr double down = 0x1p-700, up = 0x1p700;  ///< factors if squares over- or underflow
  GmresColumn<S> column;
  bool second;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team) const {
    const GmresState<S>& state = column.state;
    const bool running = state.running();
    if (running) {
      for (int i = team.thread(); i <= column.j; i += Team::threads) {
        Sum sum(0);
        HEDDLE_UNROLL(8)
        for (int k = 0; k <= column.j; ++k) sum += state.loss_at(i, k) * products()[k];
        state.overlap[i] = sum;
      }
    }
    team.barrier();  // overlap is complete, and lane 0 may end the solve
    if (team.subwarp_index() == 0) project(team.subwarp(), running);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION const Sum* products() const {
    return second ? column.state.corrections : column.state.products;
  }

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void project(const Subwarp& subwarp, bool running) const {
    const GmresState<S>& state = column.state;
    const bool leads = subwarp.lane() == 0;
    const int next = column.j + 1;
    if (leads && !second) *state.reorthogonalize = 0;
    if (leads) set_next(0);
    if (!running) return;
    const Sum* const h = products();
    const double all = real_part(h[next]);
    const bool in_range = Kokkos::isfinite(all) && all > WideSquares<S>::least;
    double squares = 0, form = 0;  // form: h' loss h
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      squares += real_part(conjugate(h[i]) * h[i]);
      form += real_part(conjugate(h[i]) * state.overlap[i]);
    }
    const double left = all - subwarp.sum(squares);
    form = subwarp.sum(form);
    const double norm_left = Kokkos::sqrt(left), noise = rounding * Kokkos::sqrt(all);
    double most = 0;
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      const Sum kept = -state.overlap[i];
      const double size = Kokkos::abs(kept);
      const Sum sign = size > 0 ? kept / size : Sum(1);
      state.overlap[i] = (kept + noise * sign) / norm_left;
      most = most < size + noise ? size + noise : most;
    }
    const double of_angles = subwarp.max(most) / norm_left;
    const double of_length = (form + (form < 0 ? -rounding : rounding) * all) / left;
    const bool orthogonal =
        in_range && left > 0 && of_angles <= most_defect && Kokkos::abs(of_length) <= most_defect;
    if (!second && !orthogonal) {
      const double scale = in_range ? 1 : all < 1 ? up : down;
      if (!leads) return;
      *state.reorthogonalize = 1;
      *state.unscale = 1 / scale;
      return set_next(scale);
    }
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      state.loss_at(i, next) = state.overlap[i];
      state.loss_at(next, i) = conjugate(state.overlap[i]);
    }
    if (leads) state.loss_at(next, next) = Sum(of_length);
    const double length = in_range && left >= least_left * all ? norm_left : 0;
    const double below = second ? length * *state.unscale : length;
    if (column.add(subwarp, below, second)) set_next(1 / length);
  }

  KOKKOS_FUNCTION void set_next(double factor) const {
    *column.state.next_scale = Sum(factor);
    *column.state.basis_scale = Sum(-factor);
  }
};

/// Makes vector j + 1 of a basis V orthogonal to those before, and of norm one: classical
/// Gram-Schmidt, with a second pass if the first would leave too little orthogonality. A pass is
/// two launches: the sums V' w and w' w, from which the last team computes column j and the factors
/// of the next vector (GmresProjection), and w - V V' w. Launches of a second pass that is not
/// needed end at once. A replacement sets column j of `state` and leaves the vector in V.
template <ExecutionSpace Exec, Scalar S>
struct ClassicalGramSchmidtTwice {
  using Sum = Wide<S>;
  GmresState<S> state;
  Limits limits;
  Multivector<S> basis;
  const VectorWorkspace<Exec, Sum>& workspace;

  void orthogonalize(const Exec& exec, int j) const {
    pass(exec, j, state.products, false);
    if constexpr (backends::launches_end_at_once<Exec>) {
      if (*state.reorthogonalize == 0) return;
    }
    pass(exec, j, state.corrections, true);
  }

 private:
  void pass(const Exec& exec, int j, Sum* products, bool second) const {
    const int* const only_if = second ? state.reorthogonalize : nullptr;
    const auto w = vectors_from<S>(j + 1, 1);
    vectors::launch_inner_products_with(
        exec, vectors_from<const S>(0, j + 2), vectors_from<const S>(j + 1, 1),
        vectors::SmallMatrix<Sum>{products}, workspace.partials(j + 2), only_if,
        GmresProjection<S>{{state, limits, j}, second});
    vectors::launch_combinations(
        exec, vectors_from<const S>(0, j + 1), vectors::SmallMatrix<const Sum>{products}, w,
        vectors::Factor<Sum>{state.basis_scale}, vectors::Factor<Sum>{state.next_scale}, only_if);
  }
  template <class T>
  Multivector<T> vectors_from(int first, int count) const {
    return {basis.data + first * basis.vector_stride, basis.row_stride, basis.vector_stride,
            basis.rows, count};
  }
};

/// Solves for y, the coefficients of the cycle's vectors in the update of x: one subwarp.
template <Scalar S>
struct GmresSolve {
  using Scratch = backends::NoScratch;
  GmresState<S> state;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    constexpr int width = Team::subwarp_width;
    const int columns = *state.columns;
    Wide<S>* const y = state.y;
    for (int i = subwarp.lane(); i < state.m; i += width) {
      y[i] = i < columns ? state.rotated_rhs[i] : Wide<S>(0);
    }
    for (int i = columns - 1; i >= 0; --i) {
      const Wide<S>* const column = state.hessenberg + std::int64_t{i} * state.m;
      subwarp.sync();
      const Wide<S> entry = y[i] / column[i];
      subwarp.sync();
      if (subwarp.lane() == 0) y[i] = entry;
      for (int k = subwarp.lane(); k < i; k += width) y[k] -= column[k] * entry;
    }
  }
};

/// Sets M v to zero for the columns that do not count: those of a step that ended the solve by NaN
/// or breakdown, and of steps after the end, which applied M to zero. Their coefficients y are
/// zero, but zero times NaN is NaN.
template <Scalar S>
struct GmresDropUncounted : vectors::Pass<Wide<S>> {
  Multivector<S> applied;
  const int* columns;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return v >= *columns; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const { return operands_of(stored(applied)); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [](Pack& z) { z = Pack::zero(); };
  }
};

/// Ends a cycle: start = x, and x += unscale z if a column counts. Nothing changes after a cycle
/// without an iteration.
template <Scalar S>
struct GmresUpdate : vectors::Pass<Wide<S>> {
  Multivector<S> x, start;
  Multivector<const S> z;
  const Progress* progress;
  const int* columns;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return *columns > 0 || !progress->verified; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x), stored(start), loaded(z));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [unscale = Pack::all(Wide<S>(progress->unscale)), counts = *columns > 0](
               Pack& x, Pack& start, const Pack& z) {
      start = x;
      if (counts) x = Pack::multiply_add(unscale, z, x);
    };
  }
};

/// Returns the options with `restart` set, no larger than a cycle can be. Throws Error or
/// OutOfMemory before anything is allocated.
inline KrylovOptions with_cycle(std::int64_t rows, KrylovOptions options, const TakenOptions& takes,
                                std::size_t scalar_bytes) {
  const int restart = checked(options, takes).restart.value_or(30);
  const std::int64_t most =
      std::min<std::int64_t>(std::max<std::int64_t>(rows, 1), std::max(options.max_iterations, 1));
  const auto m = std::min<std::int64_t>(restart, most);
  const double columns = static_cast<double>(m) * (options.flexible ? 2 : 1) + 4;
  const double bytes = columns * static_cast<double>(scalar_bytes) *
                       std::max(static_cast<double>(rows), 4 * columns);
  if (bytes > 0x1p60) {
    throw OutOfMemory("options.restart = " + std::to_string(restart) + " keeps " +
                          std::to_string(options.flexible ? 2 * m : m) + " vectors of " +
                          std::to_string(rows) + " rows",
                      "restart after fewer iterations");
  }
  options.restart = static_cast<int>(m);
  return options;
}

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
GmresSolver<Exec, S>::GmresSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& given)
    : Base(exec, rows, detail::krylov::with_cycle(rows, given, traits.takes, sizeof(S))),
      m_(*options().restart) {
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(m_);
  const std::size_t applied = options().flexible ? m : 0;
  S *vectors = nullptr, *work = nullptr, *of_m = nullptr;
  auto& s = state_;
  arena_ = Arena<typename Exec::memory_space>(
      exec, traits.vectors, arena_array(vectors, n * (m + 1)), arena_array(work, 3 * n),
      arena_array(of_m, n * applied), arena_array(s.hessenberg, m * m),
      arena_array(s.orthogonality_loss, (m + 1) * (m + 1)), arena_array(s.givens_sine, m),
      arena_array(s.givens_cosine, m), arena_array(s.rotated_rhs, m + 1),
      arena_array(s.products, m + 1), arena_array(s.corrections, m + 1),
      arena_array(s.overlap, m + 1), arena_array(s.y, m), arena_array(s.basis_scale, 1),
      arena_array(s.next_scale, 1), arena_array(s.first_scale, 1), arena_array(s.unscale, 1),
      arena_array(s.largest_column, 1), arena_array(s.columns, 1),
      arena_array(s.reorthogonalize, 1));
  state_.m = m_;
  state_.progress = states();
  basis_ = Vectors(vectors, n, m + 1);
  x_ = Vectors(work, n, 1);
  q_ = Vectors(work + n, n, 1);
  start_ = Vectors(work + 2 * n, n, 1);
  applied_ = Vectors(of_m, n, applied);
  r_ = one(0);
  for (int first = 0; first < m_; first += blocks_.block()) {
    parts_.emplace_back(std::min(blocks_.block(), m_ - first));
  }
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::normalize(const Exec& exec, const Vector& v) {
  this->pass(exec, "heddle::gmres::normalize", true,
             detail::krylov::GmresNormalize<S>{{}, multivector_of<S>(v), state_.first_scale});
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::begin_cycle(const Exec& exec) {
  detail::parallel_for(exec, "heddle::gmres::begin", 1, detail::krylov::GmresBegin<S>{state_});
  normalize(exec, column(basis_, 0));
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::orthogonalize(const Exec& exec, int j) {
  detail::krylov::ClassicalGramSchmidtTwice<Exec, S>{state_, limits(), Base::write(basis_),
                                                     workspace_}
      .orthogonalize(exec, j);
}

template <ExecutionSpace Exec, Scalar S>
auto GmresSolver<Exec, S>::combine(const Exec& exec, const Vectors& vectors) -> Vectors {
  constexpr int width = backends::max_subwarp_width<Exec>;
  backends::launch<backends::Shape<width, width>>(exec, "heddle::gmres::solve", 1,
                                                  detail::krylov::GmresSolve<S>{state_});
  const Vectors z = one(m_);
  heddle::vectors::combine(exec, 1, vectors, Numbers(state_.y, vectors.extent(1)), 0, column(z));
  return z;
}

template <ExecutionSpace Exec, Scalar S>
auto GmresSolver<Exec, S>::combine_applied(const Exec& exec, int iterations) -> Vectors {
  const Vectors applied = first_of(applied_, iterations);
  detail::vectors::stream(
      exec, "heddle::gmres::drop_uncounted", rows_, iterations, true,
      detail::krylov::GmresDropUncounted<S>{{}, Base::write(applied), state_.columns});
  return combine(exec, applied);
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::add(const Exec& exec, const Vectors& z) {
  this->pass(exec, "heddle::gmres::update", true,
             detail::krylov::GmresUpdate<S>{{},
                                            Base::write(x_),
                                            Base::write(start_),
                                            Base::read(z),
                                            state_.progress,
                                            state_.columns});
}

}  // namespace heddle
