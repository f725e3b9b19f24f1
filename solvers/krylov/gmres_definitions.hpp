// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/host_copy.hpp"
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

/// Begins a cycle after b - A x: one item for each right-hand side.
template <Scalar S>
struct GmresBegin {
  GmresState<S> all;

  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    const GmresState<S> state = all.of(static_cast<int>(v));
    Progress& progress = *state.progress;
    *state.columns = 0;
    *state.runs = progress.running() ? 1 : 0;
    *state.first_scale = Wide<S>(0);
    *state.largest_column = 0;
    constexpr double epsilon = Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
    state.loss_at(0, 0) = Wide<S>(state.stored_error > 0 ? state.stored_error : epsilon);
    if (!progress.running()) return;
    if (!progress.anew) begin_anew(progress);
    progress.unscaled = progress.anew = 0;
    const double norm = progress.residual * progress.scale;
    state.rotated_rhs[0] = Wide<S>(norm);
    *state.first_scale = Wide<S>(progress.scale / norm);
  }
};

/// Computes column j of the triangle from V' w and the norm of what is left of w: applies all
/// Givens rotations so far, and one more that turns the entry below the diagonal to zero.
template <Scalar S>
struct GmresColumn {
  using Sum = Wide<S>;
  GmresState<S> state;  ///< of right-hand side v
  Limits limits;
  int j, v;

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
    const bool follows = subwarp.lane() == 0 && close(column, last, size, below);
    if (state.stored_error == 0) return follows;
    subwarp.sync();
    const double error = error_of_basis(subwarp);
    subwarp.sync();  // lane 0 may take a column back
    return subwarp.lane() == 0 && !close_cycle(error) && follows;
  }

 private:
  /// Estimates the norm of what the rounding errors of the basis add to b - A x, after column j.
  /// The error of vector i + 1 has the coefficient y_i times the entry of the Hessenberg matrix
  /// below the diagonal, and that of the first vector the norm of the residual: directions are
  /// random. y is updated by column j of the triangle's inverse.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION double error_of_basis(const Subwarp& subwarp) const {
    const Sum* const column = state.hessenberg + std::int64_t{j} * state.m;
    Sum* const inverse = state.inverse + std::int64_t{j} * state.m;
    double squares = 0;
    if (*state.columns == j + 1) {
      for (int i = subwarp.lane(); i <= j; i += Subwarp::width) {
        Sum sum(i == j ? -1.0 : 0.0);
        HEDDLE_UNROLL(8)
        for (int k = i; k < j; ++k) sum += state.inverse[std::int64_t{k} * state.m + i] * column[k];
        inverse[i] = -sum / column[j];
        const Sum before = i < j ? state.y[i] : Sum(0);
        const Sum y = before + state.rotated_rhs[j] * inverse[i];
        state.y[i] = y;
        const double diagonal = Kokkos::abs(state.hessenberg[std::int64_t{i} * state.m + i]);
        const double weight = diagonal * Kokkos::abs(state.givens_sine[i]) * Kokkos::abs(y);
        squares += weight * weight;
      }
    }
    const double first = state.progress->restarted * state.progress->scale;
    return state.stored_error * Kokkos::sqrt(first * first + subwarp.sum(squares));
  }
  /// Closes the cycle, in one thread, if the error of the basis is half of the residual, or keeps
  /// it from the tolerance that it claims to meet. A column that adds more than it removes is left
  /// out.
  KOKKOS_FORCEINLINE_FUNCTION bool close_cycle(double error) const {
    Progress& progress = *state.progress;
    const bool claimed = progress.outcome == Outcome::converged;
    if (!progress.running() && !claimed) return false;
    const double after = Kokkos::abs(state.rotated_rhs[j + 1]);
    if (claimed ? error * progress.unscale <= progress.aim : 2 * error < after) return false;
    progress.outcome = Outcome::converged;
    progress.closed = 1;
    if (error > Kokkos::hypot(Kokkos::abs(state.rotated_rhs[j]), after)) *state.columns = j;
    return true;
  }
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
    advance(progress, limits, v, Kokkos::abs(state.rotated_rhs[j + 1]), 1, Method().cost);
    return state.running() && below > 0;
  }
  /// Ends with a column that does not count: x is made of those before.
  KOKKOS_FORCEINLINE_FUNCTION bool end(Outcome outcome) const {
    Progress& progress = *state.progress;
    ++progress.iterations;
    progress.verified = 0;
    progress.outcome = outcome;
    record(progress, limits, v, progress.carried);
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
  /// Smallest part of w' w that is left after the second pass; less than that is rounding.
  static constexpr double least_left = 1e-10;
  static constexpr double down = 0x1p-700, up = 0x1p700;  ///< factors if squares over- or underflow
  GmresState<S> all;
  Limits limits;
  int j, count;  ///< count: number of right-hand sides
  bool second;
  bool reduced;  ///< whether a reduction completes the sums first

  using Scratch = backends::NoScratch;
  /// In the last team of the launch that adds up.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team) const {
    if (!reduced) compute(team);
  }
  /// In a launch of one team, after the reduction.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    compute(team);
  }

 private:
  /// Each subwarp computes right-hand sides of its own.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Team& team) const {
    const int next = j + 1;
    for (int place = team.thread(); place < count * next; place += Team::threads) {
      const GmresState<S> state = all.of(place / next);
      if (!wants(state)) continue;
      const int i = place % next;
      const Sum* const h = products(state);
      Sum sum(0);
      HEDDLE_UNROLL(8)
      for (int k = 0; k < next; ++k) sum += state.loss_at(i, k) * h[k];
      state.overlap[i] = sum;
    }
    team.barrier();  // overlap is complete
    for (int v = team.subwarp_index(); v < count; v += Team::subwarps) project(team.subwarp(), v);
    if (second) return;
    team.barrier();  // every right-hand side has its reorthogonalize
    if (team.thread() > 0) return;
    int any = 0;
    for (int v = 0; v < count; ++v) any |= all.reorthogonalize[v];
    *all.any_again = any;
  }

  /// Largest relative error of a residual norm from rotations; a cycle ends with the true norm.
  KOKKOS_FORCEINLINE_FUNCTION double most_defect() const {
    return std::is_same_v<heddle::RealOf<S>, float> || all.stored_error > 0 ? 1e-3 : 1e-6;
  }
  /// Whether this pass computes column j of a right-hand side.
  KOKKOS_FORCEINLINE_FUNCTION bool wants(const GmresState<S>& state) const {
    return state.running() && (!second || *state.reorthogonalize != 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Sum* products(const GmresState<S>& state) const {
    return second ? state.corrections : state.products;
  }

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void project(const Subwarp& subwarp, int v) const {
    const GmresState<S> state = all.of(v);
    const bool leads = subwarp.lane() == 0, wanted = wants(state);
    const int next = j + 1;
    if (second && !wanted) return;
    subwarp.sync();  // lane 0 may end the solve
    if (leads && !second) *state.reorthogonalize = 0;
    if (leads) {
      *state.runs = wanted ? 1 : 0;
      set_next(state, 0);
    }
    if (!wanted) return;
    const Sum* const h = products(state);
    const double total = real_part(h[next]);
    const bool in_range = Kokkos::isfinite(total) && total > WideSquares<S>::least;
    double squares = 0, form = 0;  // form: h' loss h
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      squares += real_part(conjugate(h[i]) * h[i]);
      form += real_part(conjugate(h[i]) * state.overlap[i]);
    }
    const double left = total - subwarp.sum(squares);
    form = subwarp.sum(form);
    const double norm_left = Kokkos::sqrt(left), noise = rounding * Kokkos::sqrt(total);
    double most = 0;
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      const Sum kept = -state.overlap[i];
      const double size = Kokkos::abs(kept);
      const Sum sign = size > 0 ? kept / size : Sum(1);
      state.overlap[i] = (kept + noise * sign) / norm_left + state.stored_error * sign;
      most = most < size + noise ? size + noise : most;
    }
    const double of_angles = subwarp.max(most) / norm_left + state.stored_error;
    const double of_length = (form + (form < 0 ? -rounding : rounding) * total) / left;
    const bool orthogonal = in_range && left > 0 && of_angles <= most_defect() &&
                            Kokkos::abs(of_length) <= most_defect();
    if (!second && !orthogonal) {
      const double scale = in_range ? 1 : total < 1 ? up : down;
      if (!leads) return;
      *state.reorthogonalize = 1;
      *state.unscale = 1 / scale;
      return set_next(state, scale);
    }
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      state.loss_at(i, next) = state.overlap[i];
      state.loss_at(next, i) = conjugate(state.overlap[i]);
    }
    if (leads) state.loss_at(next, next) = Sum(of_length);
    const double length = in_range && left >= least_left * total ? norm_left : 0;
    const double below = second ? length * *state.unscale : length;
    const GmresColumn<S> column{state, limits, j, v};
    if (column.add(subwarp, below, second)) set_next(state, 1 / length);
    if (leads) *state.runs = state.running() ? 1 : 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void set_next(const GmresState<S>& state, double factor) {
    *state.next_scale = Sum(factor);
    *state.basis_scale = Sum(-factor);
  }
};

/// Makes vector j + 1 of a basis V orthogonal to those before, and of norm one, for every
/// right-hand side: classical Gram-Schmidt, with a second pass if the first would leave too little
/// orthogonality. A pass is two launches: the sums V' w and w' w, from which the last team computes
/// column j and the factors of the next vector (GmresProjection), and w - V V' w. With a
/// reduction GmresProjection is a launch of its own, after it. Launches of a
/// second pass that is not needed end at once. A replacement sets column j of `state` and leaves
/// the vectors in w, rounded as in `rounded`.
template <ExecutionSpace Exec, Scalar S, Scalar V>
struct ClassicalGramSchmidtTwice {
  using Sum = Wide<S>;
  GmresState<S> state;
  Limits limits;
  vectors::VectorsOfEach<V> basis;
  Multivector<S> w;
  Multivector<V> rounded;  ///< vector j + 1 of a basis in another type than S; else empty
  const VectorWorkspace<Exec, Sum>& workspace;
  const ProcessSums<Exec, Sum>& sums;

  void orthogonalize(const Exec& exec, int j) const {
    pass(exec, j, state.products, false);
    if (may_run_again(exec)) pass(exec, j, state.corrections, true);
  }

 private:
  /// Whether the second pass is launched. A reduction costs more than it does to ask the device.
  bool may_run_again(const Exec& exec) const {
    if constexpr (backends::launches_end_at_once<Exec>) {
      return *state.any_again != 0;
    } else {
      return !sums || ordered::copied_to_host(exec, "heddle::gmres::any_again", state.any_again, 1)
                              .front() != 0;
    }
  }
  void pass(const Exec& exec, int j, Sum* products, bool second) const {
    using vectors::Factor, vectors::SmallMatrix, vectors::WantedVectors;
    const auto before = basis.leading(j + 1);
    const WantedVectors again{state.any_again, state.reorthogonalize};
    const GmresProjection<S> project{state, limits, j, w.count, second, bool(sums)};
    vectors::launch_own_inner_products(
        exec, before, Multivector<const S>{w.data, w.row_stride, w.vector_stride, w.rows, w.count},
        SmallMatrix<Sum>{products, 1, state.m + 1}, workspace.partials((j + 2) * w.count),
        second ? again : WantedVectors{nullptr, state.runs}, project);
    if (sums) {
      // One range from the first to the last number: what lies between is not read.
      sums.complete(exec, products, (w.count - 1) * (state.m + 1) + j + 2);
      constexpr int threads = vectors::tuning_of<Exec>.threads;
      backends::launch<backends::Shape<backends::max_subwarp_width<Exec>, threads>>(
          exec, "heddle::gmres::project", 1, project);
    }
    vectors::launch_own_combinations(
        exec, before, SmallMatrix<const Sum>{products, 1, state.m + 1}, w,
        Factor<Sum>{state.basis_scale, 1}, Factor<Sum>{state.next_scale, 1},
        second ? again : WantedVectors(),  // what has ended gets vectors of zeros
        vectors::RoundedCopy<V>{rounded, second ? nullptr : state.reorthogonalize});
  }
};

/// Solves for y, the coefficients of the cycle's vectors in the update of x: one subwarp for each
/// right-hand side.
template <Scalar S>
struct GmresSolve {
  using Scratch = backends::NoScratch;
  GmresState<S> all;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const GmresState<S> state = all.of(static_cast<int>(team.index()));
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
/// zero, but zero times NaN is NaN. One item for each row.
template <Scalar S>
struct GmresDropUncounted {
  Multivector<S> applied;  ///< those of an iteration follow each other
  const int* columns;
  int count;  ///< number of right-hand sides

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (int v = 0; v < count; ++v) {
      for (int c = columns[v] * count + v; c < applied.count; c += count) applied(row, c) = S(0);
    }
  }
};

/// Ends a cycle: start = x, and x += unscale z if a column counts. Nothing changes after a cycle
/// without an iteration, nor for a right-hand side that had ended before it.
template <Scalar S>
struct GmresUpdate : vectors::Pass<Wide<S>> {
  Multivector<S> x, start;
  Multivector<const S> z;
  const Progress* progress;
  const int* columns;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return columns[v] > 0 || !progress[v].verified;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x), stored(start), loaded(z));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [unscale = Pack::all(Wide<S>(progress[v].unscale)), counts = columns[v] > 0](
               Pack& x, Pack& start, const Pack& z) {
      start = x;
      if (counts) x = Pack::multiply_add(unscale, z, x);
    };
  }
};

/// Returns the options with `restart` set, no larger than a cycle can be. Throws Error or
/// OutOfMemory before anything is allocated.
inline KrylovOptions with_cycle(std::int64_t rows, KrylovOptions options, const TakenOptions& takes,
                                std::size_t scalar_bytes, bool is_double) {
  const int restart = checked(options, takes).restart.value_or(30);
  if (options.basis == KrylovBasis::in_float && !is_double) {
    throw Error("options.basis has no effect on a GmresSolver of float",
                "leave it out: its basis is in float");
  }
  const auto all_rows = static_cast<std::int64_t>(
      over_processes(options.reduction, static_cast<double>(std::max<std::int64_t>(rows, 0))));
  const std::int64_t most = std::min<std::int64_t>(std::max<std::int64_t>(all_rows, 1),
                                                   std::max(options.max_iterations, 1));
  const auto m = std::min<std::int64_t>(restart, most);
  const double columns = static_cast<double>(m) * (options.flexible ? 2 : 1) + 4;
  const double bytes = columns * options.vectors * static_cast<double>(scalar_bytes) *
                       std::max(static_cast<double>(rows), 4 * columns);
  agreed(options.reduction, [&] {
    if (bytes <= 0x1p60) return;
    throw OutOfMemory("options.restart = " + std::to_string(restart) + " keeps " +
                          std::to_string((options.flexible ? 2 : 1) * m * options.vectors) +
                          " vectors of " + std::to_string(rows) + " rows",
                      "restart after fewer iterations");
  });
  options.restart = static_cast<int>(m);
  return options;
}

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
GmresSolver<Exec, S>::GmresSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& given)
    : Base(exec, rows,
           detail::krylov::with_cycle(rows, given, traits.takes, sizeof(S),
                                      std::is_same_v<heddle::RealOf<S>, double>)),
      m_(*options().restart) {
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(m_);
  const auto k = static_cast<std::size_t>(count());
  const std::size_t blocks = in_float() ? 2 : m + 1, stored = in_float() ? m + 1 : 0;
  const std::size_t applied = options().flexible ? m : 0, inverse = in_float() ? m : 0;
  S *vectors = nullptr, *work = nullptr, *of_m = nullptr;
  Low* low = nullptr;
  auto& s = state_;
  arena_ = Arena<typename Exec::memory_space>(
      exec, traits.vectors, arena_array(vectors, n * k * blocks), arena_array(work, 3 * n * k),
      arena_array(of_m, n * k * applied), arena_array(low, n * k * stored),
      arena_array(s.hessenberg, k * m * m),
      arena_array(s.orthogonality_loss, k * (m + 1) * (m + 1)), arena_array(s.givens_sine, k * m),
      arena_array(s.givens_cosine, k * m), arena_array(s.rotated_rhs, k * (m + 1)),
      arena_array(s.products, k * (m + 1)), arena_array(s.corrections, k * (m + 1)),
      arena_array(s.overlap, k * (m + 1)), arena_array(s.y, k * m),
      arena_array(s.inverse, k * m * inverse), arena_array(s.basis_scale, k),
      arena_array(s.next_scale, k), arena_array(s.first_scale, k), arena_array(s.unscale, k),
      arena_array(s.largest_column, k), arena_array(s.columns, k), arena_array(s.runs, k),
      arena_array(s.reorthogonalize, k), arena_array(s.any_again, 1));
  if (!in_float()) s.inverse = nullptr;
  // Rounding to float changes an entry by 0.4 of its unit roundoff, 2^-24, in the quadratic mean.
  s.stored_error = in_float() ? Kokkos::Experimental::epsilon_v<float> / 4 : 0;
  s.m = m_;
  s.progress = states();
  basis_ = Vectors(vectors, n, k * blocks);
  stored_ = detail::krylov::SolverVectors<Exec, Low>(low, n, k * stored);
  x_ = Vectors(work, n, k);
  q_ = Vectors(work + n * k, n, k);
  start_ = Vectors(work + 2 * n * k, n, k);
  applied_ = Vectors(of_m, n, k * applied);
  r_ = one(0);
  for (int first = 0; first < m_; first += blocks_.block()) {
    parts_.emplace_back(std::min(blocks_.block(), m_ - first));
  }
}

namespace detail::krylov {

/// The vectors of each right-hand side, from blocks of `count` vectors.
template <Scalar V, class Vectors>
vectors::VectorsOfEach<V> of_each(const Vectors& blocks, int count) {
  const auto rows = static_cast<std::int64_t>(blocks.extent(0));
  return {{blocks.data(), 1, rows * count, rows, static_cast<int>(blocks.extent(1)) / count}, rows};
}

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::begin_cycle(const Exec& exec) {
  namespace krylov = detail::krylov;
  using detail::vectors::Factor;
  detail::parallel_for(exec, "heddle::gmres::begin", count(), krylov::GmresBegin<S>{state_});
  const auto normalize = [&]<Scalar V>(const auto& blocks, const Multivector<V>& rounded) {
    detail::vectors::launch_own_combinations(
        exec, krylov::of_each<V>(blocks, count()).leading(0),
        detail::vectors::SmallMatrix<const Sum>(), Base::write(one(0)), Factor<Sum>(),
        Factor<Sum>{state_.first_scale, 1}, {}, detail::vectors::RoundedCopy<V>{rounded});
  };
  if (in_float()) {
    normalize(stored_, multivector_of<Low>(block(stored_, 0)));
  } else {
    normalize(basis_, Multivector<S>());
  }
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::orthogonalize(const Exec& exec, int j) {
  namespace krylov = detail::krylov;
  const auto with = [&]<Scalar V>(const auto& blocks, const Multivector<V>& rounded) {
    krylov::ClassicalGramSchmidtTwice<Exec, S, V>{
        state_,     limits(), krylov::of_each<V>(blocks, count()), Base::write(one(j + 1)), rounded,
        workspace_, sums_}
        .orthogonalize(exec, j);
  };
  if (in_float()) {
    with(stored_, multivector_of<Low>(block(stored_, j + 1)));
  } else {
    with(basis_, Multivector<S>());
  }
}

template <ExecutionSpace Exec, Scalar S>
auto GmresSolver<Exec, S>::combine(const Exec& exec, int iterations) -> Vectors {
  return in_float() ? combination(exec, stored_, iterations)
                    : combination(exec, basis_, iterations);
}

template <ExecutionSpace Exec, Scalar S>
auto GmresSolver<Exec, S>::combine_applied(const Exec& exec, int iterations) -> Vectors {
  const Vectors applied(applied_.data(), applied_.extent(0),
                        static_cast<std::size_t>(iterations * count()));
  detail::parallel_for(
      exec, "heddle::gmres::drop_uncounted", rows_,
      detail::krylov::GmresDropUncounted<S>{Base::write(applied), state_.columns, count()});
  return combination(exec, applied_, iterations);
}

template <ExecutionSpace Exec, Scalar S>
template <class Blocks>
auto GmresSolver<Exec, S>::combination(const Exec& exec, const Blocks& blocks, int iterations)
    -> Vectors {
  using detail::vectors::Factor;
  using V = typename Blocks::non_const_value_type;
  constexpr int width = backends::max_subwarp_width<Exec>;
  backends::launch<backends::Shape<width, width>>(exec, "heddle::gmres::solve", count(),
                                                  detail::krylov::GmresSolve<S>{state_});
  const Vectors z = one(m_);
  detail::vectors::launch_own_combinations(
      exec, detail::krylov::of_each<V>(blocks, count()).leading(iterations),
      detail::vectors::SmallMatrix<const Sum>{state_.y, 1, m_}, Base::write(z),
      Factor<Sum>{nullptr, 0, Sum(1)}, Factor<Sum>());
  return z;
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
