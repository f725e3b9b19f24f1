// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/operations.hpp"
#include "solver.hpp"
#include "state.hpp"

/// The numbers of MINRES, which stay on the device.
namespace heddle::detail::krylov {

/// Numbers of one right-hand side. A and M count as multiplied by a_scale and m_scale. Column k of
/// the tridiagonal matrix T of the Lanczos vectors has beta of step k, alpha, and beta of step k
/// + 1.
struct MinresState : Progress {
  double a_scale;        ///< power of two that scales A v of the first step to a norm of about 1
  double m_scale;        ///< power of two that scales r . M r at a restart to about 1
  double beta;           ///< M-norm of u, a vector that is not scaled to norm 1
  double last_beta;      ///< that of the u before
  double alpha;          ///< v . A v, with v = M u / beta
  double largest;        ///< largest norm of a column of T
  double cosine, sine;   ///< the last Givens rotation
  double delta_bar;      ///< entry of the next column above its diagonal, before the last rotation
  double epsilon;        ///< entry above that one, after all rotations
  double gamma_bar;      ///< diagonal entry of this column before its own rotation
  double w_part;         ///< factors of the last two w in the new one
  double w_before_part;  ///< see w_part
  double inverse_gamma;  ///< reciprocal of the diagonal entry of the last column
  double last_inverse_gamma;
  double phi_bar;  ///< M-norm of the residual, with a sign
  double step;     ///< of x along w
  double r_part;   ///< factors of r and u in the new r
  double u_part;   ///< see r_part
  int fresh;       ///< whether this step is the first one since a restart
  int moves;       ///< whether x moves in this step
};

}  // namespace heddle::detail::krylov

namespace heddle {

/// MINRES: solves A x = b for a symmetric (Hermitian) A that may be indefinite or singular, with a
/// symmetric positive definite preconditioner M. Of all x in its space it takes the one whose
/// residual r has the smallest r . M r. Several right-hand sides are solved together, each with its
/// own iteration.
///
/// Convergence is judged by the norm of b - A x as in other solvers: r is carried as a vector. If b
/// is not in the range of a singular A, x converges to a least-squares solution (in the norm of M),
/// which is not the shortest one, and the solve ends as Outcome::inconsistent. That is so if A M r
/// falls to 2 sqrt(epsilon) of |A| |r| and r falls no more: x would grow from then on, and not
/// become better. x is the guess if A M r of that is a rounding error, at most 10 epsilon of |A|
/// |r|; the second step shows it, so a limit of one iteration leaves an x far along the nullspace.
/// With options.nullspace such a part is taken out of b instead. An M that is not positive definite
/// ends the solve as Outcome::indefinite.
///
/// A solver is made once for a size, with all its memory: bytes(), nine vectors. It can be moved,
/// not copied. solve allocates nothing, and the host checks only every options.check_every
/// iterations. An iteration is a product and an apply of M, and four passes. With n rows of b bytes
/// it moves their bytes and 20 n b, 18 n b without M. A block of options.check_every iterations
/// runs as one graph on CUDA and HIP if A and M are capturable(). b - A x, scaling and sums are as
/// in CgSolver; A and M are scaled by powers of two too. A solver solves one system at a time. The
/// bits are the same on every run if those of A and M are.
///
/// Sources: C. Paige and M. Saunders (1975); singular systems and their exits: S.-C. Choi, C. Paige
/// and M. Saunders (2011).
template <ExecutionSpace Exec, Scalar S>
class MinresSolver : public detail::krylov::KrylovSolver<MinresSolver<Exec, S>, Exec, S,
                                                         detail::krylov::MinresState> {
  using Base = detail::krylov::KrylovSolver<MinresSolver, Exec, S, detail::krylov::MinresState>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  MinresSolver() = default;
  /// A solver for systems of `rows` unknowns and options.vectors right-hand sides at a time. Throws
  /// Error if options are invalid. Without `exec`: on the default instance.
  MinresSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit MinresSolver(std::int64_t rows, const KrylovOptions& options = {})
      : MinresSolver(Exec(), rows, options) {}

 private:
  using Base::limits, Base::q_, Base::r_, Base::read, Base::states, Base::write, Base::x_;
  using typename Base::Vectors;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "MinresSolver", .vectors = true},
      .monitor = {"heddle::minres::state", "heddle::minres::state_on_host",
                  "heddle::minres::check"},
      .labels = {"heddle::minres::true_residual", nullptr, "heddle::minres::solution"},
      .vectors = "heddle::minres::vectors",
      .best = "heddle::minres::best",
      // A step minimizes along directions of its own, and phi_bar is the norm of its own residual.
      .method = {.keeps_directions = true, .keeps_residual = true},
      .passes = 4,
      .recorded = true,
      .needs_symmetric = "MINRES needs",
      .for_any_preconditioner = "gmres or bicgstab"};  // A may be indefinite

  template <class M, class A>
  double vectors_moved(const A&) const {
    return detail::krylov::no_preconditioner<M> ? 18 : 20;
  }

  template <class Pass>
  void pass(const Exec& exec, const char* label, const Pass& of) {
    Base::pass(exec, label, true, of);
  }

  /// r and u from q_ = b - A x, if the iteration restarts.
  void begin_basis(const Exec& exec);
  /// Numbers of the first step from z = M u, if the iteration restarts.
  void begin_numbers(const Exec& exec, const Vectors& z);
  /// alpha, the next u, and w of this step, from q = A z and z = M u.
  void lanczos(const Exec& exec, const Vectors& z);
  /// The rotation of this step from z = M u, and x and r.
  void update(const Exec& exec, const Vectors& z);

  template <class M>
  void begin(const Exec& exec, M& preconditioner) {
    vectors::scale(exec, 0, u_);  // M is applied to it even if nothing restarts
    restart(exec, preconditioner);
  }
  template <class M>
  void restart(const Exec& exec, M& preconditioner) {
    begin_basis(exec);
    begin_numbers(exec, this->preconditioned(exec, preconditioner, u_, z_));
  }
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool) {
    const Vectors& z = detail::krylov::no_preconditioner<M> ? u_ : z_;
    detail::krylov::apply<Exec, S>(exec, matrix, z, q_);
    lanczos(exec, z);
    update(exec, this->preconditioned(exec, preconditioner, u_, z_));
  }

  Vectors u_, u_before_, w_, w_before_, z_;
};

/// The scalar is double if none is named.
template <ExecutionSpace Exec>
MinresSolver(const Exec&, std::int64_t, const KrylovOptions& = {}) -> MinresSolver<Exec, double>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "minres_definitions.hpp"
#endif

/// The instances of MINRES for a scalar that the compiled part (compiled.hpp) holds: all but the
/// loop over an operator and a preconditioner.
#define HEDDLE_MINRES_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_MINRES_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_MINRES_INSTANCES_ON(EXTERN, SCALAR, EXEC)              \
  HEDDLE_SOLVER_INSTANCES(EXTERN, SCALAR, EXEC, heddle::MinresSolver, \
                          heddle::detail::krylov::MinresState)        \
  EXTERN template class heddle::detail::krylov::Monitor<EXEC, SCALAR, \
                                                        heddle::detail::krylov::MinresState>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_MINRES_INSTANCES, HEDDLE_EXTERN)
