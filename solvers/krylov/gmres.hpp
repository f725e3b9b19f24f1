// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "solver.hpp"
#include "state.hpp"

/// The numbers of GMRES, on the device: by the lanes of one subwarp, since one thread would wait
/// for each number that it reads, and for each instruction that it meets for the first time.
namespace heddle::detail::krylov {

/// What a cycle builds: the triangle that rotations make of the Hessenberg matrix, the rotations,
/// and the right-hand side that they turn.
template <Scalar S>
struct GmresState {
  using Sum = Wide<S>;
  Progress* progress;
  int* columns;      ///< of the triangle, that count
  int* again;        ///< whether w is made orthogonal a second time
  Sum* triangle;     ///< m x m, column after column
  Sum* sine;         ///< m
  double* cosine;    ///< m
  Sum* turned;       ///< m + 1
  Sum* first_part;   ///< m + 1: V' w, and behind it w' w
  Sum* second_part;  ///< m + 1: the same of what was left of w
  Sum* solution;     ///< m
  Sum* of_basis;     ///< 1: what V (V' w) is multiplied by
  Sum* of_w;         ///< 1: and w, for the next vector; zero if there is none
  double* factor;    ///< 1: what makes the first vector one of length 1; zero if there is none
  double* unscale;   ///< 1: of what was left of w
  double* largest;   ///< 1: the size of the largest column of the Hessenberg matrix
  Sum* defect;       ///< m + 1 x m + 1, column after column: see GmresProjection
  Sum* kept;         ///< m + 1: of V, in what is left of w
  int m;

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress->running(); }
  KOKKOS_FORCEINLINE_FUNCTION Sum& defect_at(int i, int j) const {
    return defect[std::int64_t{j} * (m + 1) + i];
  }
};

/// After b - A x: the begin of a cycle, one item.
template <Scalar S>
struct GmresBegin {
  GmresState<S> state;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    Progress& progress = *state.progress;
    *state.columns = 0;
    *state.factor = *state.largest = 0;
    state.defect_at(0, 0) = Wide<S>(Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>);
    if (!progress.running()) return;
    if (!progress.anew) begin_anew(progress);
    progress.unscaled = progress.anew = 0;
    const double norm = progress.residual * progress.scale;
    state.turned[0] = Wide<S>(norm);
    *state.factor = progress.scale / norm;
  }
};

/// v = factor v, or zero where there is no next vector.
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

/// Column j of the triangle, of V' w and the norm of what is left of w: all rotations so far, and
/// one more that turns the entry below the diagonal to zero.
template <Scalar S>
struct GmresColumn {
  using Sum = Wide<S>;
  GmresState<S> state;
  Limits limits;
  int j;

  /// To lane 0, whether another vector follows.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION bool add(const Subwarp& subwarp, double below, bool twice) const {
    Sum* const column = state.triangle + std::int64_t{j} * state.m;
    const auto entry = [&](int i) {
      const Sum first = state.first_part[i];
      return twice ? first + state.second_part[i] * *state.unscale : first;
    };
    const Sum head = entry(0);
    Sum last = head;  // of what is not final yet, the one above
    double size = 0;
    for (int first = 0; first < j; first += Subwarp::width) {
      const int i = first + subwarp.lane();
      const Sum lower = i < j ? entry(i + 1) : Sum(0);
      const Sum sine = i < j ? state.sine[i] : Sum(0);
      const double cosine = i < j ? state.cosine[i] : 0;
      // What rotations from the first one of these on make of `last`: factor * last + more.
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
  /// The last entry of a column, by one thread.
  KOKKOS_FORCEINLINE_FUNCTION bool close(Sum* column, Sum last, double size, double below) const {
    Progress& progress = *state.progress;
    if (!Kokkos::isfinite(size)) return end(Outcome::not_a_number);
    if (size > *state.largest) *state.largest = size;
    const double diagonal = Kokkos::abs(last);
    const double length = Kokkos::hypot(diagonal, below);
    if (!(length > Kokkos::Experimental::epsilon_v<heddle::RealOf<S>> * *state.largest)) {
      return end(Outcome::breakdown);  // A M is singular as far as can be seen from here
    }
    // Turns (a, h) with a real h >= 0 to (a / |a| * length, 0).
    const Sum phase = diagonal > 0 ? last / diagonal : Sum(1);
    state.cosine[j] = diagonal / length;
    state.sine[j] = phase * (below / length);
    column[j] = phase * length;
    const Sum turned = state.turned[j];
    state.turned[j] = state.cosine[j] * turned;
    state.turned[j + 1] = -conjugate(state.sine[j]) * turned;
    *state.columns = j + 1;
    advance(progress, limits, 0, Kokkos::abs(state.turned[j + 1]), 1, Method().cost);
    return state.running() && below > 0;
  }
  /// A column that does not count: x is that of those before.
  KOKKOS_FORCEINLINE_FUNCTION bool end(Outcome outcome) const {
    Progress& progress = *state.progress;
    ++progress.iterations;
    progress.verified = 0;
    progress.outcome = outcome;
    record(progress, limits, 0, progress.carried);
    return false;
  }
};

/// After h = V' w and w' w: the norm of what is left of w, w - V h, follows from these, and with it
/// the column and the next vector, where V stays orthogonal enough. Else w is made orthogonal a
/// second time.
///
/// defect is an estimate of V' V - I. The next vector keeps -defect h of V, and rounding, both over
/// the norm of what is left: a recurrence with its signs, after H. Simon, The Lanczos algorithm
/// with partial reorthogonalization (1984); rounding is taken to add to what is there. (Of absolute
/// values it would grow by a factor of ten and more each time, whatever V is.) What is subtracted
/// from w is what the triangle holds, so that a defect changes no solution: the norm of the
/// residual that the rotations tell is wrong by that part of it.
template <Scalar S>
struct GmresProjection {
  using Sum = Wide<S>;
  /// Of a product V' w and of w - V h, over the norm of w: sums of many rows take a few roundings.
  static constexpr double rounding = 8 * Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
  /// Of the norm of a residual: the cycle ends with the true one.
  static constexpr double most_defect = std::is_same_v<heddle::RealOf<S>, float> ? 1e-3 : 1e-6;
  /// Of w' w after the second time: what is left is rounding, if it is less.
  static constexpr double least_left = 1e-10;
  static constexpr double down = 0x1p-700, up = 0x1p700;  ///< from where squares are not numbers
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
        for (int k = 0; k <= column.j; ++k) sum += state.defect_at(i, k) * products()[k];
        state.kept[i] = sum;
      }
    }
    team.barrier();  // and before lane 0 may end the solve
    if (team.subwarp_index() == 0) project(team.subwarp(), running);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION const Sum* products() const {
    return second ? column.state.second_part : column.state.first_part;
  }

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void project(const Subwarp& subwarp, bool running) const {
    const GmresState<S>& state = column.state;
    const bool leads = subwarp.lane() == 0;
    const int next = column.j + 1;
    if (leads && !second) *state.again = 0;
    if (leads) set_next(0);
    if (!running) return;
    const Sum* const h = products();
    const double all = real_part(h[next]);
    const bool in_range = Kokkos::isfinite(all) && all > Squares<S>::least;
    double squares = 0, form = 0;  // form: h' defect h
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      squares += real_part(conjugate(h[i]) * h[i]);
      form += real_part(conjugate(h[i]) * state.kept[i]);
    }
    const double left = all - subwarp.sum(squares);
    form = subwarp.sum(form);
    const double norm_left = Kokkos::sqrt(left), noise = rounding * Kokkos::sqrt(all);
    double most = 0;
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      const Sum kept = -state.kept[i];
      const double size = Kokkos::abs(kept);
      const Sum sign = size > 0 ? kept / size : Sum(1);
      state.kept[i] = (kept + noise * sign) / norm_left;
      most = most < size + noise ? size + noise : most;
    }
    const double of_angles = subwarp.max(most) / norm_left;
    const double of_length = (form + (form < 0 ? -rounding : rounding) * all) / left;
    const bool orthogonal =
        in_range && left > 0 && of_angles <= most_defect && Kokkos::abs(of_length) <= most_defect;
    if (!second && !orthogonal) {
      const double scale = in_range ? 1 : all < 1 ? up : down;
      if (!leads) return;
      *state.again = 1;
      *state.unscale = 1 / scale;
      return set_next(scale);
    }
    for (int i = subwarp.lane(); i < next; i += Subwarp::width) {
      state.defect_at(i, next) = state.kept[i];
      state.defect_at(next, i) = conjugate(state.kept[i]);
    }
    if (leads) state.defect_at(next, next) = Sum(of_length);
    const double length = in_range && left >= least_left * all ? norm_left : 0;
    const double below = second ? length * *state.unscale : length;
    if (column.add(subwarp, below, second)) set_next(1 / length);
  }

  KOKKOS_FUNCTION void set_next(double factor) const {
    *column.state.of_w = Sum(factor);
    *column.state.of_basis = Sum(-factor);
  }
};

/// The combination of the cycle's vectors that is added to x, but for the scale: one subwarp.
template <Scalar S>
struct GmresSolve {
  using Scratch = backends::NoScratch;
  GmresState<S> state;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    constexpr int width = Team::subwarp_width;
    const int columns = *state.columns;
    Wide<S>* const y = state.solution;
    for (int i = subwarp.lane(); i < state.m; i += width) {
      y[i] = i < columns ? state.turned[i] : Wide<S>(0);
    }
    for (int i = columns - 1; i >= 0; --i) {
      const Wide<S>* const column = state.triangle + std::int64_t{i} * state.m;
      subwarp.sync();
      const Wide<S> entry = y[i] / column[i];
      subwarp.sync();
      if (subwarp.lane() == 0) y[i] = entry;
      for (int k = subwarp.lane(); k < i; k += width) y[k] -= column[k] * entry;
    }
  }
};

/// x += z, which is scaled, and start = x before; nothing after a cycle without a good column.
template <Scalar S>
struct GmresUpdate : vectors::Pass<Wide<S>> {
  Multivector<S> x, start;
  Multivector<const S> z;
  const Progress* progress;
  const int* columns;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return *columns > 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x), stored(start), loaded(z));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [unscale = Pack::all(Wide<S>(progress->unscale))](Pack& x, Pack& start, const Pack& z) {
      start = x;
      x = Pack::multiply_add(unscale, z, x);
    };
  }
};

}  // namespace heddle::detail::krylov

namespace heddle {

/// GMRES(m): solves A x = b for any A, with any preconditioner M on the right, so that the residual
/// that it reduces is that of A x = b itself. It is restarted after m iterations: the residual is
/// computed from x, and a new basis begins. m is the smallest of options.restart, rows and
/// options.max_iterations.
///
/// A solver is made once for a size and m, with all its memory, bytes(): m + 4 vectors and 2 m^2
/// numbers. It can be moved, not copied. solve allocates nothing, and the host checks only every
/// options.check_every iterations; rotations and the small triangle are computed on the device.
/// Iterations are products with A, except those that compute a residual. b - A x, scaling and sums
/// are as in CgSolver. Blocks of options.check_every iterations run as graphs, one for each place
/// in a cycle, if m is a multiple of it. A solver solves one system at a time. The bits are the
/// same on every run if those of A and M are.
///
/// Iteration j of a cycle moves the bytes of the product and M, and (2 j + 5) n b bytes:
/// Gram-Schmidt takes a pass over j + 1 vectors for V' w, and one for w - V h. Where V would be
/// orthogonal to fewer than six digits (three of floats), it runs a second time, which moves as
/// much again.
///
/// Sources: Y. Saad and M. Schultz (1986); Gram-Schmidt twice where it is needed: J. Daniel et al.
/// (1976), L. Giraud et al. (2005), by an estimate as H. Simon's (1984); the norm by Pythagoras: A.
/// Smoktunowicz et al. (2006).
template <ExecutionSpace Exec, Scalar S>
class GmresSolver
    : public detail::krylov::KrylovSolver<GmresSolver<Exec, S>, Exec, S, detail::krylov::Progress> {
  using Base = detail::krylov::KrylovSolver<GmresSolver, Exec, S, detail::krylov::Progress>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  GmresSolver() = default;
  /// A solver for systems of `rows` unknowns, restarted after options.restart iterations. Throws
  /// Error if options are invalid, and OutOfMemory, before it allocates, if no address space holds
  /// the vectors. Without `exec`: on the default instance.
  GmresSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit GmresSolver(std::int64_t rows, const KrylovOptions& options = {})
      : GmresSolver(Exec(), rows, options) {}

  /// Blocks of iterations, of all solves so far, that ran as a recorded graph.
  int replays() const {
    int all = 0;
    for (const auto& part : parts_) all += part.replays();
    return all;
  }

 private:
  using Base::arena_, Base::blocks_, Base::column, Base::limits, Base::monitor_, Base::options,
      Base::q_, Base::r_, Base::rows_, Base::states, Base::workspace_, Base::x_;
  using typename Base::Sum, typename Base::Vector, typename Base::Vectors;
  using Numbers = SolverVector<Exec, Sum>;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "GmresSolver", .restart = true, .recompute_every = false},
      .monitor = {"heddle::gmres::progress", "heddle::gmres::progress_on_host",
                  "heddle::gmres::check"},
      .labels = {"heddle::gmres::true_residual", nullptr, "heddle::gmres::solution"},
      .vectors = "heddle::gmres::vectors",
      .best = nullptr,
      .method = {.keeps_start = true},
      .passes = 2,
      .recorded = true};

  template <class M, class A>
  double vectors_moved(const A&) const {  // on average over a cycle
    return (m_ - 1) + 5.0;
  }

  /// The first `count` vectors of the basis.
  Vectors basis(int count) const {
    return Vectors(basis_.data(), basis_.extent(0), static_cast<std::size_t>(count));
  }
  /// Makes a vector of the basis one of length 1, or zero where there is none.
  void normalize(const Exec& exec, const Vector& v);
  /// A cycle, from b - A x.
  void begin_cycle(const Exec& exec);
  /// Vector j + 1 of the basis, and column j of the triangle, from A M times vector j.
  void orthogonalize(const Exec& exec, int j);
  /// V y, of a cycle of so many iterations, in the last vector of the basis, which is free then:
  /// the next cycle makes all of them anew.
  Vectors combine(const Exec& exec, int iterations);
  /// x += z, which is scaled.
  void add(const Exec& exec, const Vectors& z);
  auto start() const { return Base::read(start_); }

  void begin_blocks() {
    for (auto& part : parts_) part.begin();
  }
  template <class M>
  void begin(const Exec& exec, M&) {
    open_ = 0;
    begin_cycle(exec);
  }
  template <class M>
  void restart(const Exec& exec, M&) {
    begin_cycle(exec);
  }
  /// x += M V y, of this cycle
  template <class M>
  void complete(const Exec& exec, M& preconditioner) {
    const int iterations = std::exchange(open_, 0);
    if (iterations == 0) return;
    add(exec, this->preconditioned(exec, preconditioner, combine(exec, iterations), q_));
  }
  template <class A, class M>
  void step(const Exec& exec, A& matrix, M& preconditioner, int j) {
    const Vectors v = this->preconditioned(exec, preconditioner, one(j), q_);
    detail::krylov::apply<Exec, S>(exec, matrix, v, one(j + 1));
    orthogonalize(exec, j);
  }
  template <class A, class M, class Judge>
  void queue(const Exec& exec, A& matrix, M& preconditioner,
             const std::optional<detail::krylov::PartVersions>& versions, int first, int stop,
             const Judge& judge) {
    while (first < stop && !this->seen_to_have_ended()) {
      if (open_ == m_) {
        judge(detail::krylov::Due::running);
        begin_cycle(exec);
      }
      const int part = open_ / blocks_.block();
      const int end = std::min({(part + 1) * blocks_.block(), m_, open_ + stop - first});
      int reached = end;
      auto& blocks = parts_[static_cast<std::size_t>(part)];
      blocks.run(exec, versions, open_, end, [&](int from, int to) {
        for (reached = from; reached < to && !this->seen_to_have_ended(); ++reached) {
          step(exec, matrix, preconditioner, reached);
        }
      });
      if (blocks.refused()) monitor_.note_failed_recording();
      first += reached - open_;
      open_ = reached;
    }
  }
  /// A vector of the basis.
  Vectors one(int c) const {
    return Vectors(column(basis_, c).data(), basis_.extent(0), std::size_t{1});
  }

  int m_ = 0;
  int open_ = 0;  ///< iterations of this cycle
  /// Steps of a cycle differ, so that each block of them has a graph of its own.
  std::vector<detail::krylov::BlockGraph<backends::Graph<Exec>>> parts_;
  Vectors basis_, start_;  ///< start_: x at the begin of this cycle
  detail::krylov::GmresState<S> state_{};
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "gmres_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of GMRES, for a scalar: all but the loop over an
/// operator and a preconditioner.
#define HEDDLE_GMRES_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_GMRES_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_GMRES_INSTANCES_ON(EXTERN, SCALAR, EXEC) \
  EXTERN template class heddle::GmresSolver<EXEC, SCALAR>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_GMRES_INSTANCES, HEDDLE_EXTERN)
