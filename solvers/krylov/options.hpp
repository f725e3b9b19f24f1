// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../../core/types.hpp"
#include "../../core/words.hpp"

namespace heddle {

/// How an iteration ended, or that it has not ended.
enum class Outcome : int {
  running,              ///< queued, and the host has not checked yet
  converged,            ///< the norm of b - A x is at most the tolerance
  iteration_limit,      ///< max_iterations products, and the tolerance is not met
  attainable_accuracy,  ///< the recurrence meets the tolerance, b - A x does not and falls no more
  breakdown,            ///< a number to divide by is zero, relative to the vectors it is made of
  not_a_number,         ///< NaN or infinity in the residual or a product
  indefinite,           ///< p' A p or r' M r is not positive: A or M is not positive definite
  stagnated,            ///< nothing gained in stagnation_window iterations
  diverged,             ///< a residual of divergence_factor times the first one
  out_of_time,          ///< max_seconds are over
  stopped_by_user,      ///< the callback returned false
  inconsistent          ///< b is not in the range of A, and x is a least-squares solution
};

template <>
inline constexpr detail::Word<Outcome> detail::words<Outcome>[] = {
    {Outcome::running, "not checked yet"},
    {Outcome::converged, "converged"},
    {Outcome::iteration_limit, "reached the iteration limit"},
    {Outcome::attainable_accuracy,
     "b - A x falls no more, and misses the tolerance: ask for less, or for more precision"},
    {Outcome::breakdown, "broke down: a number to divide by is zero"},
    {Outcome::not_a_number, "NaN or infinity in the residual or a product"},
    {Outcome::indefinite, "the matrix or the preconditioner is not positive definite"},
    {Outcome::stagnated, "stagnated: the residual falls no more"},
    {Outcome::diverged, "diverged: the residual grew beyond its bound"},
    {Outcome::out_of_time, "the time allowed is over"},
    {Outcome::stopped_by_user, "stopped by the callback"},
    {Outcome::inconsistent, "b is not in the range of A: x is a least-squares solution"}};

/// The norm that the tolerance is relative to.
enum class RelativeTo { right_hand_side, first_residual };
template <>
inline constexpr detail::Word<RelativeTo> detail::words<RelativeTo>[] = {
    {RelativeTo::right_hand_side, "right-hand-side"},
    {RelativeTo::first_residual, "first-residual"}};

/// The precision in which GMRES stores its basis V.
enum class KrylovBasis { in_scalar, in_float };
template <>
inline constexpr detail::Word<KrylovBasis> detail::words<KrylovBasis>[] = {
    {KrylovBasis::in_scalar, "in-scalar"}, {KrylovBasis::in_float, "in-float"}};

/// Bounds of the eigenvalues of M A, all of them positive.
struct SpectrumBounds {
  double lower = 0;
  double upper = 0;
};

/// Nullspace that a singular A shares with its conjugate transpose, as a symmetric (Hermitian) A
/// does, for KrylovOptions::nullspace: the constant vector of a problem without boundary values, or
/// vectors of yours. The default is none.
class Nullspace {
 public:
  Nullspace() = default;
  /// The vector of ones.
  static Nullspace constant() {
    Nullspace nullspace;
    nullspace.vectors_ = Ones();
    return nullspace;
  }
  /// The vectors of a View of rank 1 or 2, in memory of the device, which must be linearly
  /// independent. A solver's constructor reads them and keeps an orthonormal basis of its own.
  template <VectorView V>
  Nullspace(const V& vectors)  // NOLINT(google-explicit-constructor): an option is given a View
      : memory_(V::memory_space::name()),
        vectors_(multivector_of<const typename V::non_const_value_type>(vectors)),
        view_(std::make_shared<V>(vectors)) {}

  /// Number of vectors.
  int count() const {
    return std::visit([](const auto& of) { return of.count; }, vectors_);
  }

  /// No vector.
  struct None {
    static constexpr int count = 0;
  };
  /// The vector of ones, which is stored nowhere.
  struct Ones {
    static constexpr int count = 1;
  };
  using Vectors = std::variant<None, Ones, Multivector<const float>, Multivector<const double>,
                               Multivector<const Kokkos::complex<float>>,
                               Multivector<const Kokkos::complex<double>>>;
  const Vectors& vectors() const { return vectors_; }
  /// The name of the memory space of the vectors; empty without a View.
  const std::string& memory() const { return memory_; }

 private:
  std::string memory_;
  Vectors vectors_;
  std::shared_ptr<const void> view_;  // keeps the memory of vectors_
};

/// Adds up numbers over the processes that solve a system together: replaces each of `numbers` by
/// the sum of those of all processes, the same bits on all of them. Solvers call it on the host, on
/// every process, with as many numbers. mpi_reduction (<heddle/mpi.hpp>) makes one of MPI.
using Reduction = std::function<void(std::span<double> numbers)>;

/// Options of Krylov solvers. Every default is sensible. Setting an option that has no effect on a
/// solver is an Error.
struct KrylovOptions {
  /// The solve has converged when the norm of b - A x is at most relative_tolerance times that of b
  /// (or of the first residual), or at most absolute_tolerance. Default: 1e-8 for double, 1e-5 for
  /// float, and for the complex numbers of both.
  std::optional<double> relative_tolerance = std::nullopt;
  /// Bound of the norm of b - A x; 0: only the relative tolerance counts.
  double absolute_tolerance = 0;
  /// The norm that relative_tolerance is multiplied by.
  RelativeTo relative_to = RelativeTo::right_hand_side;
  /// The limit of iterations: products with A, except those that compute a residual.
  int max_iterations = 1000;
  /// The host checks every this many iterations; iterations after the end change nothing. 0: the
  /// host never checks, all iterations are queued at once, and the result is in device memory.
  int check_every = 10;
  /// Whether x counts as zero whatever it holds: it is then not read, which saves a product.
  bool zero_guess = false;
  /// Every this many iterations b - A x replaces the residual of the recurrence; MinresSolver
  /// compares the two, and restarts if they differ too much. 0: only when the solve would end. Not
  /// for GmresSolver, which does so at every restart.
  int recompute_every = 0;
  /// The solve ends if the residual has not become smaller for this many iterations. CgSolver
  /// continues while the energy of the error, which each step lowers, has fallen in them by more
  /// than epsilon times its whole fall. Default: 500, and at least two cycles for GmresSolver, and
  /// at least the number of rows for the other solvers, whose residuals may rise for long before
  /// they fall.
  std::optional<int> stagnation_window = std::nullopt;
  /// The solve ends if the residual is more than this many times the first one.
  double divergence_factor = 1e8;
  /// Limit of time, tested when the host checks.
  double max_seconds = std::numeric_limits<double>::infinity();
  /// Whether the norms of all residuals are kept. The host copies them when it checks; with
  /// check_every = 0 the solver has memory of the device for max_iterations of them.
  bool history = false;
  /// Called when the host checks, at the start and at the end, with the number of iterations and
  /// the largest relative residual norm. Returning false ends the solve.
  std::function<bool(int iterations, double residual)> callback = {};
  /// For CgSolver, which has three schemes: pins cg/launches, cg/one-team or cg/one-cluster.
  std::optional<Scheme> scheme = std::nullopt;
  /// Number of right-hand sides that are solved together. ChebyshevSolver accepts one.
  int vectors = 1;
  /// For GmresSolver: the iterations after which it is restarted; 30 by default.
  std::optional<int> restart = std::nullopt;
  /// For GmresSolver of double: with in_float the basis is stored in float and arithmetic remains
  /// in double, which halves the bytes of the basis (a compressed basis). A cycle ends early when
  /// the rounding errors of the basis may no longer be small beside the residual.
  KrylovBasis basis = KrylovBasis::in_scalar;
  /// For CgSolver and GmresSolver: the preconditioner may differ from one apply to the next, as an
  /// inner iteration does. CgSolver, which is so without the option for a preconditioner that says
  /// is_variable(), then takes a preconditioner that is not symmetric too, and runs
  /// cg/launches. GmresSolver keeps a second vector for each iteration of a cycle.
  bool flexible = false;
  /// For ChebyshevSolver, which requires them: bounds of the eigenvalues of M A.
  std::optional<SpectrumBounds> bounds = std::nullopt;
  /// For a singular A: vectors that A and its conjugate transpose map to zero. The solver leaves
  /// them out of b and of what it adds to x. If b contains more of them than the tolerance allows,
  /// the solve ends as Outcome::inconsistent. With such vectors CgSolver runs cg/launches.
  Nullspace nullspace = {};
  /// For a system whose rows are distributed over processes: completes all sums over rows. Each
  /// process has a solver for its own rows, and A's apply exchanges entries of x. The constructor
  /// and solve are collective: all processes call them, with the same options, except that each has
  /// its part of `nullspace`, and any may have a callback or max_seconds, which ends the solve on
  /// all. In each iteration the host waits, nothing runs as a graph, and CgSolver runs cg/launches.
  /// Throws Error with check_every = 0.
  Reduction reduction = {};
};

/// The result of a solve for one right-hand side.
struct KrylovResult {
  Outcome outcome = Outcome::running;
  int iterations = 0;
  double residual = 0;        ///< the norm of b - A x, computed from the x that solve left
  double first_residual = 0;  ///< the norm of b - A x for the guess
  double reference = 0;       ///< the norm that the tolerance is relative to
  /// Number of restarts: GMRES after each cycle, BiCGStab if it would break down, and all but
  /// Chebyshev if the residual of the recurrence has drifted from b - A x.
  int restarts = 0;
  /// Whether a block of iterations could not be recorded as a graph, so that it ran by launches.
  bool recording_failed = false;

  bool converged() const { return outcome == Outcome::converged; }
  double relative_residual() const { return reference > 0 ? residual / reference : residual; }
};

}  // namespace heddle
