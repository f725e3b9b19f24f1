// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/operations.hpp"
#include "solver.hpp"
#include "state.hpp"

/// The numbers of BiCGStab, which stay on the device.
namespace heddle::detail::krylov {

inline constexpr int products_of_bicgstab = 2;  // in a step

template <Scalar S>
struct BicgstabState : Progress {
  Wide<S> rho, alpha, omega, beta;
  double shadow_norm, s_norm;
  double t_scale;  ///< power of two that scales A M r of an r of norm 1 to a norm of about 1
  int moves;       ///< whether x moves in this step
  int half;        ///< whether this step ends after its first half
  int fresh;       ///< whether this step is the first one since a restart
  int turns;       ///< whether shadow and p are set to r, to avoid a breakdown
};

}  // namespace heddle::detail::krylov

namespace heddle {

/// BiCGStab: solves A x = b for any A in the memory of eight vectors, with any preconditioner M on
/// the right, so that the residual is that of A x = b itself. If it would break down it restarts
/// from the residual, which KrylovResult::restarts counts, and ends as Outcome::breakdown if that
/// does not help. It may stagnate, which the result reports; GMRES needs more vectors. Several
/// right-hand sides are solved together, each with its own iteration.
///
/// A solver is made once for a size, with all its memory: bytes(). It can be moved, not copied.
/// solve allocates nothing, and the host checks only every options.check_every steps. A step is two
/// products with A, which iterations count, and two applies of M. It moves their bytes and 19 n b.
/// A step that ends after its first half counts one product. A block of options.check_every steps
/// runs as one graph on CUDA and HIP if A and M are capturable(). b - A x, scaling and sums are as
/// in CgSolver. A solver solves one system at a time. The bits are the same on every run if those
/// of A and M are.
///
/// Source: H. van der Vorst (1992).
template <ExecutionSpace Exec, Scalar S>
class BicgstabSolver : public detail::krylov::KrylovSolver<BicgstabSolver<Exec, S>, Exec, S,
                                                           detail::krylov::BicgstabState<S>> {
  using State = detail::krylov::BicgstabState<S>;
  using Base = detail::krylov::KrylovSolver<BicgstabSolver, Exec, S, State>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  BicgstabSolver() = default;
  /// A solver for systems of `rows` unknowns and options.vectors right-hand sides at a time. Throws
  /// Error if options are invalid. Without `exec`: on the default instance.
  BicgstabSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit BicgstabSolver(std::int64_t rows, const KrylovOptions& options = {})
      : BicgstabSolver(Exec(), rows, options) {}

 private:
  using Base::limits, Base::q_, Base::r_, Base::read, Base::rows_, Base::scale_residual,
      Base::states, Base::workspace_, Base::write, Base::x_;
  using typename Base::Vectors;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "BicgstabSolver", .vectors = true},
      .monitor = {"heddle::bicgstab::state", "heddle::bicgstab::state_on_host",
                  "heddle::bicgstab::check"},
      .labels = {"heddle::bicgstab::true_residual", "heddle::bicgstab::scale_residual",
                 "heddle::bicgstab::solution"},
      .vectors = "heddle::bicgstab::vectors",
      .best = "heddle::bicgstab::best",
      .method = {.cost = detail::krylov::products_of_bicgstab},
      .passes = 5,
      .recorded = true};

  template <class M, class A>
  double vectors_moved(const A&) const {
    return 19;
  }

  template <class Pass>
  void pass(const Exec& exec, const char* label, const Pass& of) {
    Base::pass(exec, label, true, of);
  }

  /// Continues from b - A x: computes rho, and in a restart sets shadow = p = r.
  void go_on(const Exec& exec);
  /// p = r + beta (p - omega v)
  void direction(const Exec& exec);
  /// alpha, and s = r - alpha v in place of r.
  void half_step(const Exec& exec);
  /// omega, from t = A M s.
  void omega(const Exec& exec);
  /// x += alpha p + omega s, r = s - omega t, for p and s after M was applied.
  void update(const Exec& exec, const Vectors& p, const Vectors& s);

  template <class M>
  void begin(const Exec& exec, M& preconditioner) {
    vectors::scale(exec, 0, v_);
    vectors::scale(exec, 0, p_);  // of a column that ends before its first step A reads it
    restart(exec, preconditioner);
  }
  template <class M>
  void restart(const Exec& exec, M&) {
    go_on(exec);
  }
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool) {
    const Vectors& t = q_;
    direction(exec);
    const Vectors p = this->preconditioned(exec, preconditioner, p_, p_hat_);
    detail::krylov::apply<Exec, S>(exec, matrix, p, v_);
    half_step(exec);
    const Vectors s = this->preconditioned(exec, preconditioner, r_, s_hat_);
    detail::krylov::apply<Exec, S>(exec, matrix, s, t);
    omega(exec);
    update(exec, p, s);
  }

  Vectors shadow_, p_, v_, p_hat_, s_hat_;
};

/// The scalar is double if none is named.
template <ExecutionSpace Exec>
BicgstabSolver(const Exec&, std::int64_t, const KrylovOptions& = {})
    -> BicgstabSolver<Exec, double>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "bicgstab_definitions.hpp"
#endif

/// The instances of BiCGStab for a scalar that the compiled part (compiled.hpp) holds: all but the
/// loop over an operator and a preconditioner.
#define HEDDLE_BICGSTAB_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_BICGSTAB_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_BICGSTAB_INSTANCES_ON(EXTERN, SCALAR, EXEC)               \
  HEDDLE_SOLVER_INSTANCES(EXTERN, SCALAR, EXEC, heddle::BicgstabSolver,  \
                          heddle::detail::krylov::BicgstabState<SCALAR>) \
  EXTERN template class heddle::detail::krylov::Monitor<                 \
      EXEC, SCALAR, heddle::detail::krylov::BicgstabState<SCALAR>>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_BICGSTAB_INSTANCES, HEDDLE_EXTERN)
