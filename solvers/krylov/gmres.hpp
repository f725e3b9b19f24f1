// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "../../formats/compiled.hpp"
#include "../vectors/operations.hpp"
#include "solver.hpp"
#include "state.hpp"

/// The numbers of GMRES, on the device.
namespace heddle::detail::krylov {

/// The arrays of a cycle: the triangle that rotations make of the Hessenberg matrix, the rotations,
/// and the right-hand side that they rotate. Every right-hand side has its own, one after the other
/// in each array.
template <Scalar S>
struct GmresState {
  using Sum = Wide<S>;
  Progress* progress;
  int* columns;             ///< number of columns of the Hessenberg matrix that count
  int* runs;                ///< whether the next step has a column to compute
  int* reorthogonalize;     ///< whether w needs a second pass of Gram-Schmidt
  Sum* hessenberg;          ///< m x m, column after column: the triangle that rotations make of it
  Sum* givens_sine;         ///< m
  double* givens_cosine;    ///< m
  Sum* rotated_rhs;         ///< m + 1
  Sum* products;            ///< m + 1: V' w, followed by w' w
  Sum* corrections;         ///< m + 1: V' w and w' w in the second pass
  Sum* y;                   ///< m: the solution of the small system
  Sum* basis_scale;         ///< 1: factor of V (V' w)
  Sum* next_scale;          ///< 1: factor of w, for the next vector; zero if there is none
  Sum* first_scale;         ///< 1: factor of the first vector, for norm 1; zero if there is none
  double* unscale;          ///< 1: reciprocal of the factor of w in the second pass
  double* largest_column;   ///< 1: the largest 1-norm of a column of the Hessenberg matrix
  Sum* orthogonality_loss;  ///< m + 1 x m + 1, column after column: see GmresProjection
  Sum* overlap;             ///< m + 1: column of orthogonality_loss for the next vector
  Sum* inverse;             ///< m x m, column after column: of the triangle; null: not needed
  int* any_again;           ///< whether any right-hand side needs a second pass; one for all
  int m;
  /// Norm of the rounding error of a vector of the basis that is stored in float; else 0.
  double stored_error;

  /// The arrays of right-hand side v.
  KOKKOS_FORCEINLINE_FUNCTION GmresState of(int v) const {
    GmresState s = *this;
    const std::int64_t triangle = std::int64_t{m} * m * v, more = std::int64_t{m + 1} * v;
    s.progress += v;
    s.columns += v;
    s.runs += v;
    s.reorthogonalize += v;
    s.hessenberg += triangle;
    s.givens_sine += std::int64_t{m} * v;
    s.givens_cosine += std::int64_t{m} * v;
    s.rotated_rhs += more;
    s.products += more;
    s.corrections += more;
    s.y += std::int64_t{m} * v;
    s.basis_scale += v;
    s.next_scale += v;
    s.first_scale += v;
    s.unscale += v;
    s.largest_column += v;
    s.orthogonality_loss += more * (m + 1);
    s.overlap += more;
    s.inverse += inverse ? triangle : 0;
    return s;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress->running(); }
  KOKKOS_FORCEINLINE_FUNCTION Sum& loss_at(int i, int j) const {
    return orthogonality_loss[std::int64_t{j} * (m + 1) + i];
  }
};

}  // namespace heddle::detail::krylov

namespace heddle {

/// GMRES(m): solves A x = b for any A, with any preconditioner M on the right, so that the residual
/// that it reduces is that of A x = b itself. It is restarted after m iterations: the residual is
/// computed from x, and a new basis begins. m is the smallest of options.restart, rows and
/// options.max_iterations. Several right-hand sides are solved together, each with its own
/// Hessenberg matrix and iteration; all are restarted together, and one that would be restarted
/// before waits for it.
///
/// A solver is made once for a size and m, with all its memory, bytes(): for each right-hand side
/// m + 4 vectors (2 m + 4 if flexible) and 2 m^2 numbers. It can be moved, not copied. solve
/// allocates nothing, and the host checks only every options.check_every iterations; rotations and
/// the small triangle are computed on the device. Iterations are products with A, except those that
/// compute a residual. b - A x, scaling and sums are as in CgSolver. Blocks of options.check_every
/// iterations run as graphs, one for each place in a cycle, if m is a multiple of it. A solver
/// solves one system at a time. The bits are the same on every run if those of A and M are.
///
/// Iteration j of a cycle moves the bytes of the product and M, and (2 j + 5) n b bytes:
/// Gram-Schmidt is a pass over j + 1 vectors for V' w, and one for w - V h. If V would be
/// orthogonal to fewer than six digits (three of floats), both run again (reorthogonalization),
/// which moves as much again. With options.reduction each of them is one reduction.
///
/// With options.flexible M may differ from one apply to the next (FGMRES): M v of each iteration is
/// kept, m vectors more, and x is updated with these, so that M is not applied again at the end of
/// a cycle. The bytes of an iteration are the same.
///
/// With options.basis = KrylovBasis::in_float V is stored in float, and all else remains in double:
/// an iteration moves (j + 4.5) n b bytes, and the solver holds half of the m + 1 vectors of V, and
/// two more. A and M are applied to the rounded vectors, so that a rounding error of a vector
/// counts by its entry below the diagonal of the Hessenberg matrix alone. From the y of each
/// iteration the norm of what these errors add to b - A x is estimated. When it is half of the
/// residual the cycle ends, and the next one begins from b - A x.
///
/// Sources: Y. Saad and M. Schultz (1986); flexible: Y. Saad (1993); a basis in float: J. Aliaga,
/// H. Anzt, T. Gruetzmacher, E. Quintana-Orti and A. Tomas (2022); reorthogonalization if it is
/// needed: J. Daniel et al. (1976), L. Giraud et al. (2005), by an estimate as H. Simon's (1984);
/// the norm by Pythagoras: A. Smoktunowicz et al. (2006).
template <ExecutionSpace Exec, Scalar S>
class GmresSolver
    : public detail::krylov::KrylovSolver<GmresSolver<Exec, S>, Exec, S, detail::krylov::Progress> {
  using Base = detail::krylov::KrylovSolver<GmresSolver, Exec, S, detail::krylov::Progress>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  GmresSolver() = default;
  /// A solver for systems of `rows` unknowns and options.vectors right-hand sides at a time,
  /// restarted after options.restart iterations. Throws Error if options are invalid, and
  /// OutOfMemory, before it allocates, if no address space holds the vectors. Without `exec`: on
  /// the default instance.
  GmresSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit GmresSolver(std::int64_t rows, const KrylovOptions& options = {})
      : GmresSolver(Exec(), rows, options) {}

  /// Number of blocks of iterations, in all solves so far, that ran as a recorded graph.
  int replays() const {
    int all = 0;
    for (const auto& part : parts_) all += part.replays();
    return all;
  }

 private:
  using Base::arena_, Base::blocks_, Base::count, Base::limits, Base::monitor_, Base::options,
      Base::q_, Base::r_, Base::rows_, Base::states, Base::sums_, Base::workspace_, Base::x_;
  using typename Base::Sum, typename Base::Vectors;
  using Low = detail::InFloat<S>;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "GmresSolver",
                .restart = true,
                .basis = true,
                .flexible = true,
                .vectors = true,
                .recompute_every = false},
      .monitor = {"heddle::gmres::progress", "heddle::gmres::progress_on_host",
                  "heddle::gmres::check"},
      .labels = {"heddle::gmres::true_residual", nullptr, "heddle::gmres::solution"},
      .vectors = "heddle::gmres::vectors",
      .best = nullptr,
      .method = {.keeps_start = true, .in_cycles = true},
      .passes = 2,
      .recorded = true};

  template <class M, class A>
  double vectors_moved(const A&) const {  // on average over a cycle
    return in_float() ? (m_ - 1) / 2.0 + 4.5 : (m_ - 1) + 5.0;
  }

  bool in_float() const { return options().basis == KrylovBasis::in_float; }
  /// Whether M v of each iteration is kept. Without an M it is v.
  template <class M>
  bool keeps_applied() const {
    return options().flexible && !detail::krylov::no_preconditioner<M>;
  }
  /// Begins a cycle from b - A x.
  void begin_cycle(const Exec& exec);
  /// Computes vector j + 1 of the basis and column j of the triangle from A M times vector j.
  void orthogonalize(const Exec& exec, int j);
  /// Returns V y of this cycle, of the first `iterations` vectors, with the solution y of the small
  /// system. It is in memory of the basis, which is free then, since the next cycle computes a new
  /// one.
  Vectors combine(const Exec& exec, int iterations);
  /// Returns such a combination of the M v that flexible GMRES keeps. Columns that do not count are
  /// left out.
  Vectors combine_applied(const Exec& exec, int iterations);
  template <class Blocks>
  Vectors combination(const Exec& exec, const Blocks& blocks, int iterations);
  /// x += unscale z
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
  /// x += M V y, of this cycle; of flexible GMRES the M v that are kept, times y
  template <class M>
  bool complete(const Exec& exec, M& preconditioner) {
    const int iterations = std::exchange(open_, 0);
    if (iterations == 0) return false;
    if (keeps_applied<M>()) {
      add(exec, combine_applied(exec, iterations));
    } else {
      const Vectors combined = combine(exec, iterations);
      add(exec, this->preconditioned(exec, preconditioner, combined, q_));
    }
    return true;
  }
  template <class A, class M>
  void step(const Exec& exec, A& matrix, M& preconditioner, int j) {
    const Vectors to = keeps_applied<M>() ? block(applied_, j) : q_;
    const Vectors v = this->preconditioned(exec, preconditioner, one(j), to);
    detail::krylov::apply<Exec, S>(exec, matrix, v, one(j + 1));
    orthogonalize(exec, j);
  }
  template <class A, class M, class Judge>
  void queue(const Exec& exec, A& matrix, M& preconditioner,
             const std::optional<detail::krylov::PartVersions>& versions, int first, int stop,
             const Judge& verify) {
    while (first < stop && !this->seen_to_have_ended()) {
      if (open_ == m_) {
        verify(detail::krylov::Due::running);
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
  /// Vector j of each right-hand side; those of one iteration follow each other.
  template <class Blocks>
  Blocks block(const Blocks& of, int j) const {
    const auto k = static_cast<std::size_t>(count());
    return Blocks(of.data() + static_cast<std::size_t>(j) * k * of.extent(0), of.extent(0), k);
  }
  /// Vector j of the basis. Of one that is stored in float the last two are here too.
  Vectors one(int j) const { return block(basis_, in_float() ? j % 2 : j); }

  int m_ = 0;
  int open_ = 0;  ///< number of iterations in this cycle so far
  /// Steps of a cycle differ, so that each block of them has a graph of its own.
  std::vector<detail::krylov::IterationGraph<backends::Graph<Exec>>> parts_;
  Vectors basis_, start_;                            ///< start_: x at the start of this cycle
  detail::krylov::SolverVectors<Exec, Low> stored_;  ///< V in float; none unless in_float()
  Vectors applied_;  ///< M v for each v of this cycle; none unless options.flexible
  detail::krylov::GmresState<S> state_{};
};

/// The scalar is double if none is named.
template <ExecutionSpace Exec>
GmresSolver(const Exec&, std::int64_t, const KrylovOptions& = {}) -> GmresSolver<Exec, double>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "gmres_definitions.hpp"
#endif

/// The instances of GMRES for a scalar that the compiled part (compiled.hpp) holds: all but the
/// loop over an operator and a preconditioner.
#define HEDDLE_GMRES_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_GMRES_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_GMRES_INSTANCES_ON(EXTERN, SCALAR, EXEC)              \
  HEDDLE_SOLVER_INSTANCES(EXTERN, SCALAR, EXEC, heddle::GmresSolver, \
                          heddle::detail::krylov::Progress)

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_GMRES_INSTANCES, HEDDLE_EXTERN)
