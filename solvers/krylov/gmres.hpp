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
/// and the right-hand side that they rotate.
template <Scalar S>
struct GmresState {
  using Sum = Wide<S>;
  Progress* progress;
  int* columns;             ///< number of columns of the Hessenberg matrix that count
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
  double* first_scale;      ///< 1: factor of the first vector, for norm 1; zero if there is none
  double* unscale;          ///< 1: reciprocal of the factor of w in the second pass
  double* largest_column;   ///< 1: the largest 1-norm of a column of the Hessenberg matrix
  Sum* orthogonality_loss;  ///< m + 1 x m + 1, column after column: see GmresProjection
  Sum* overlap;             ///< m + 1: column of orthogonality_loss for the next vector
  int m;

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
/// options.max_iterations.
///
/// A solver is made once for a size and m, with all its memory, bytes(): m + 4 vectors (2 m + 4 if
/// flexible) and 2 m^2 numbers. It can be moved, not copied. solve allocates nothing, and the host
/// checks only every options.check_every iterations; rotations and the small triangle are computed
/// on the device. Iterations are products with A, except those that compute a residual. b - A x,
/// scaling and sums are as in CgSolver. Blocks of options.check_every iterations run as graphs, one
/// for each place in a cycle, if m is a multiple of it. A solver solves one system at a time. The
/// bits are the same on every run if those of A and M are.
///
/// Iteration j of a cycle moves the bytes of the product and M, and (2 j + 5) n b bytes:
/// Gram-Schmidt is a pass over j + 1 vectors for V' w, and one for w - V h. If V would be
/// orthogonal to fewer than six digits (three of floats), both run again (reorthogonalization),
/// which moves as much again.
///
/// With options.flexible M may differ from one apply to the next (FGMRES): M v of each iteration is
/// kept, m vectors more, and x is updated with these, so that M is not applied again at the end of
/// a cycle. The bytes of an iteration are the same.
///
/// Sources: Y. Saad and M. Schultz (1986); flexible: Y. Saad (1993); reorthogonalization if it is
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
  /// A solver for systems of `rows` unknowns, restarted after options.restart iterations. Throws
  /// Error if options are invalid, and OutOfMemory, before it allocates, if no address space holds
  /// the vectors. Without `exec`: on the default instance.
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
  using Base::arena_, Base::blocks_, Base::column, Base::limits, Base::monitor_, Base::options,
      Base::q_, Base::r_, Base::rows_, Base::states, Base::workspace_, Base::x_;
  using typename Base::Sum, typename Base::Vector, typename Base::Vectors;
  using Numbers = SolverVector<Exec, Sum>;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "GmresSolver", .restart = true, .flexible = true, .recompute_every = false},
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

  static Vectors first_of(const Vectors& vectors, int count) {
    return Vectors(vectors.data(), vectors.extent(0), static_cast<std::size_t>(count));
  }
  /// Whether M v of each iteration is kept. Without an M it is v.
  template <class M>
  bool keeps_applied() const {
    return options().flexible && !detail::krylov::no_preconditioner<M>;
  }
  /// Scales a vector of the basis to norm 1, or to zero if there is none.
  void normalize(const Exec& exec, const Vector& v);
  /// Begins a cycle from b - A x.
  void begin_cycle(const Exec& exec);
  /// Computes vector j + 1 of the basis and column j of the triangle from A M times vector j.
  void orthogonalize(const Exec& exec, int j);
  /// Returns a combination of so many vectors of a cycle, with the coefficients y of the small
  /// system, in the last vector of the basis. That is free then, since the next cycle computes a
  /// new basis.
  Vectors combine(const Exec& exec, const Vectors& vectors);
  /// Returns the combination of the M v that flexible GMRES keeps, with the coefficients y. Columns
  /// that do not count are left out.
  Vectors combine_applied(const Exec& exec, int iterations);
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
  void complete(const Exec& exec, M& preconditioner) {
    const int iterations = std::exchange(open_, 0);
    if (iterations == 0) return;
    if (keeps_applied<M>()) return add(exec, combine_applied(exec, iterations));
    const Vectors combined = combine(exec, first_of(basis_, iterations));
    add(exec, this->preconditioned(exec, preconditioner, combined, q_));
  }
  template <class A, class M>
  void step(const Exec& exec, A& matrix, M& preconditioner, int j) {
    const Vectors to = keeps_applied<M>() ? one_of(applied_, j) : q_;
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
  static Vectors one_of(const Vectors& vectors, int c) {
    return Vectors(column(vectors, c).data(), vectors.extent(0), std::size_t{1});
  }
  /// A vector of the basis.
  Vectors one(int c) const { return one_of(basis_, c); }

  int m_ = 0;
  int open_ = 0;  ///< number of iterations in this cycle so far
  /// Steps of a cycle differ, so that each block of them has a graph of its own.
  std::vector<detail::krylov::IterationGraph<backends::Graph<Exec>>> parts_;
  Vectors basis_, start_;  ///< start_: x at the start of this cycle
  Vectors applied_;        ///< M v for each v of this cycle; none unless options.flexible
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
