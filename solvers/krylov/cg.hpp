// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <optional>

#include "../../core/device.hpp"
#include "../../core/error.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../../formats/compiled.hpp"
#include "../vectors/operations.hpp"
#include "concepts.hpp"
#include "solver.hpp"
#include "state.hpp"

/// Names of the schemes of conjugate gradients, and what those of one launch need of an operator.
namespace heddle::detail::krylov {

// Schemes are parsed once, not at every solve.
inline const Scheme& cg_launches() {
  static const Scheme scheme("cg/launches");
  return scheme;
}
inline const Scheme& cg_one_team() {
  static const Scheme scheme("cg/one-team");
  return scheme;
}
inline const Scheme& cg_one_cluster() {
  static const Scheme scheme("cg/one-cluster");
  return scheme;
}

/// An operator whose rows a kernel may compute itself: csr() gives a CsrMatrix, or nothing.
template <class A>
concept HasRows = requires(const A& a) {
  { a.csr().has_value() } -> std::convertible_to<bool>;
};

/// The numbers of one right-hand side, on the device.
struct CgState : Progress {
  double rho, alpha, beta;
  double z_scale;  ///< power of two that scales M r of an r of norm 1 to a norm of about 1
  double energy;   ///< fall of the error's energy, e' A e, since the last restart
  double recent;   ///< fall of that energy since the residual was smallest
  int moves;       ///< whether this step has an alpha, so that x moves
  int turns;       ///< whether p is set to z, in a restart
};

/// Each step lowers the energy of the error, whatever the residual does: at the iteration limit the
/// last x is the best one.
inline constexpr Method method_of_cg{.keeps_directions = true, .last_is_best = true};

/// Whether a step along p is possible, from the curvature p . q.
KOKKOS_FORCEINLINE_FUNCTION bool is_curved(double curvature) {
  return Kokkos::isfinite(curvature) && curvature > 0;
}

KOKKOS_FORCEINLINE_FUNCTION void check_rho(CgState& state, double rho) {
  if (!Kokkos::isfinite(rho)) {
    state.outcome = Outcome::not_a_number;
  } else if (rho <= 0) {
    state.outcome = Outcome::indefinite;
  }
}

/// Sets rho from r . M r of r = b - A x, whose norm is about 1 if the iteration restarts.
KOKKOS_FORCEINLINE_FUNCTION void restart_cg(CgState& state, double product) {
  state.unscaled = 0;
  if (state.anew) {
    state.alpha = state.beta = 0;
    state.energy = state.recent = 0;
    state.z_scale = PowerOfTwo::below(product).reciprocal;
  }
  state.rho = state.z_scale * product;
  check_rho(state, state.rho);
}

/// alpha from p . q
KOKKOS_FORCEINLINE_FUNCTION void take_curvature(CgState& state, double curvature) {
  state.moves = 0;
  if (!state.running()) return;
  if (is_curved(curvature)) {
    state.alpha = state.rho / curvature;
    state.moves = 1;
  } else {
    state.outcome = Kokkos::isfinite(curvature) ? Outcome::indefinite : Outcome::not_a_number;
  }
}

/// Judges a step by the squared norm of its residual.
KOKKOS_FORCEINLINE_FUNCTION void advance_cg(CgState& state, const Limits& limits, int v,
                                            double square) {
  constexpr double epsilon = Kokkos::Experimental::epsilon_v<double>;
  const double fall = state.alpha * state.rho;
  state.energy += fall;
  state.recent += fall;
  advance(state, limits, v, Kokkos::sqrt(square), 1, method_of_cg.cost,
          state.recent > epsilon * state.energy);
  if (state.best_iteration == state.iterations) state.recent = 0;
}

/// Whether there is a next p: after a claim too, which may fail.
KOKKOS_FORCEINLINE_FUNCTION bool has_direction(const CgState& state) {
  return state.running() || (state.outcome == Outcome::converged && state.moves != 0);
}

/// beta from z = M r of the new r: `product` is r . z.
KOKKOS_FORCEINLINE_FUNCTION void next_direction(CgState& state, double product) {
  if (!has_direction(state)) return;
  const double rho = state.z_scale * product;
  if (state.running()) check_rho(state, rho);
  state.beta = rho / state.rho;
  state.rho = rho;
}

/// That of flexible steps, from `change`, which is z_scale z . (r - r before), and `along`, which
/// is r . p of the last p. That is zero but for rounding, which a beta above 1 would add up from
/// step to step: so rho is r . p of the next p, and p is z where that is no slope.
KOKKOS_FORCEINLINE_FUNCTION void next_direction(CgState& state, double product, double change,
                                                double along) {
  if (!has_direction(state)) return;
  const double before = state.rho;
  next_direction(state, product);
  state.beta = change / before;
  const double slope = state.rho + state.beta * along;
  if (slope > 0) {
    state.rho = slope;
  } else {
    state.beta = 0;
  }
}

// Arguments of conjugate gradients in one launch: cg/one-team and cg/one-cluster.

/// The vectors of the iteration: pointers, or types with an operator[] of rows.
template <class Vector>
struct CgVectors {
  Vector x, r, p, q;
};

/// The system, the user's vectors, and the steps to run.
template <Scalar S, class Matrix>
struct CgProblem {
  const typename Matrix::offset_type* row_ptr;
  const typename Matrix::ordinal_type* col_idx;
  const typename Matrix::scalar_type* values;
  std::int64_t rows;
  Multivector<const S> b, diagonal;
  Multivector<S> solution;
  CgState* state;
  Limits limits;
  int stop, recompute_every;
  bool begins, ends, zero_guess;
};

/// Launches one of these schemes. Defined in cg_in_one_launch.hpp.
template <Preconditioned how, ExecutionSpace Exec, Scalar S, class Matrix>
void launch_cg(const Exec& exec, const Scheme& scheme, const Device& device,
               const CgProblem<S, Matrix>& problem, const CgVectors<S*>& vectors);

}  // namespace heddle::detail::krylov

namespace heddle {

/// Conjugate gradients: solves A x = b for a symmetric (Hermitian) positive definite A, with such a
/// preconditioner M. Several right-hand sides are solved together, each with its own iteration.
///
/// A solver is made once for a size, with all its memory: bytes(). It can be moved, not copied.
/// solve allocates nothing. The numbers of an iteration stay on the device, and nothing changes for
/// a right-hand side that has ended, so the host checks only every options.check_every iterations.
/// A block of that many (or of options.recompute_every) runs as one graph on CUDA and HIP if A and
/// M are capturable(). A solver solves one system at a time. The bits are the same on every run if
/// those of A and M are.
///
/// When the recurrence meets the tolerance, the solver computes b - A x and judges by it: one
/// product for each solve. If the tolerance is missed and b - A x still falls, the iteration
/// continues from there. r and p are scaled by powers of two, and sums are kept in double
/// for float, so that b of 1e-30 and of 1e30 behave as b of 1.
///
/// An iteration is three launches: the product with p.q; r and its norm; x and p together. With n
/// rows of b bytes it moves the matrix and 10 n b bytes. JacobiPreconditioner, whose z is never
/// stored, makes it 12 n b; another preconditioner 12 n b and its own. If the product does not
/// compute p.q (SpmvPlan::has_dot; several right-hand sides; float, whose plans add up in float),
/// that is one more launch and 2 n b bytes. Each check of the host keeps the best x for 2 n b bytes
/// more.
///
/// Small systems are solved in one launch if A has csr() (with_rows adds the matrix to a plan), M
/// is absent or a JacobiPreconditioner, and there is one right-hand side. One team solves them
/// (cg/one-team) or, on devices that have clusters, one cluster of teams (cg/one-cluster). On a GPU
/// the vectors must fit into its scratch. The scheme is chosen by size or pinned by options.scheme;
/// scheme() returns what ran. The schemes add up in different orders.
///
/// With options.reduction an iteration has two reductions, whatever M is: p.q, and r.r with r.z.
///
/// With options.flexible, or an M that says is_variable(), M may differ from one apply to the next:
/// beta is z . (r - r before) over the last r . z, after Polak and Ribiere, so that the new p is
/// conjugate to the last one whatever M is. r - r before is -alpha q, which needs no vector more.
/// alpha is r . p over p . q, since rounding in r . z would grow where beta is above 1.
/// Each step lowers the energy of the error if r . M r is positive, and M need not be symmetric.
/// Over complex numbers all dots are their real parts: A is symmetric in that inner product too. An
/// iteration moves 14 n b bytes and those of M, which is applied even if it is diagonal.
///
/// Sources: M. Hestenes and E. Stiefel (1952); replacing the recurrence by b - A x: H. van der
/// Vorst and Q. Ye (2000); flexible: G. Golub and Q. Ye (1999), Y. Notay (2000).
template <ExecutionSpace Exec, Scalar S>
class CgSolver
    : public detail::krylov::KrylovSolver<CgSolver<Exec, S>, Exec, S, detail::krylov::CgState> {
  using Base = detail::krylov::KrylovSolver<CgSolver, Exec, S, detail::krylov::CgState>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  CgSolver() = default;
  /// A solver for systems of `rows` unknowns and options.vectors right-hand sides at a time. Throws
  /// Error if options are invalid. Without `exec`: on the default instance.
  CgSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit CgSolver(std::int64_t rows, const KrylovOptions& options = {})
      : CgSolver(Exec(), rows, options) {}

  /// The scheme that the last solve ran.
  const Scheme& scheme() const {
    only_moves_.check("CgSolver", "scheme");
    return scheme_;
  }

 private:
  using Base::allocate, Base::arena_, Base::best_, Base::column, Base::count, Base::flexible,
      Base::give, Base::limits, Base::monitor_, Base::only_moves_, Base::options, Base::pass,
      Base::q_, Base::r_, Base::read, Base::rows_, Base::scale_residual, Base::states, Base::sums_,
      Base::workspace_, Base::write, Base::x_;
  using typename Base::Const, typename Base::How, typename Base::Sum, typename Base::Vectors;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "CgSolver", .flexible = true, .vectors = true, .scheme = true},
      .monitor = {"heddle::cg::state", "heddle::cg::state_on_host", "heddle::cg::check"},
      .labels = {"heddle::cg::true_residual", "heddle::cg::scale_residual", "heddle::cg::solution"},
      .vectors = "heddle::cg::vectors",
      .best = "heddle::cg::best",
      .method = detail::krylov::method_of_cg,
      .recorded = true,
      .dot_in_product = true,
      .becomes_flexible = true,
      .needs_symmetric = "conjugate gradients need"};
  template <class A>
  static constexpr bool takes_dot = detail::krylov::AppliesDot<A, Exec, S>;

  template <class M, class A>
  double vectors_moved(const A& matrix) const {
    const bool with_dot = count() == 1 && takes_dot<A> && detail::krylov::has_dot(matrix);
    const double passes = flexible() ? 14 : detail::krylov::no_preconditioner<M> ? 10 : 12;
    return passes - (with_dot ? 2 : 0);
  }

  template <class A, class M>
  bool solve_in_one_launch(const Exec& exec, A& matrix, const Const& b, const Multivector<S>& x,
                           M& preconditioner) {
    namespace krylov = detail::krylov;
    constexpr How how = krylov::how_with<M>();
    if constexpr (krylov::HasRows<A> && how != How::by_operator) {
      const auto rows = matrix.csr();
      const auto nonzeros = rows ? static_cast<std::int64_t>(rows->nonzeros()) : 0;
      if (const auto scheme = rows ? in_one_launch(nonzeros) : std::nullopt) {
        scheme_ = *scheme;
        launch_blocks<how>(exec, *rows, b, x, read_of<how>(preconditioner));
        return true;
      }
    }
    scheme_ = krylov::cg_launches();
    check_pinned();
    return false;
  }

  /// The scheme that solves a system of so many entries in one launch: the pinned one, or the
  /// fastest expected. None if the system does not fit, launches are expected to be faster, or
  /// options.flexible is set.
  std::optional<Scheme> in_one_launch(std::int64_t nonzeros) const;

  /// Throws Error if another scheme is pinned than the one that solves the system.
  void check_pinned() const;

  /// Launches a kernel for each block of iterations. If the host checks, a launch before them
  /// computes the first b - A x.
  template <How how, class Matrix>
  void launch_blocks(const Exec& exec, const Matrix& matrix, const Const& b,
                     const Multivector<S>& x, const Const& z) {
    const detail::krylov::CgVectors<S*> vectors{x_.data(), r_.data(), p_.data(), q_.data()};
    const auto launch = [&](int stop, bool begins, bool ends) {
      const detail::krylov::CgProblem<S, Matrix> problem{matrix.row_ptr().data(),
                                                         matrix.col_idx().data(),
                                                         matrix.values().data(),
                                                         rows_,
                                                         b,
                                                         z,
                                                         x,
                                                         states(),
                                                         limits(),
                                                         stop,
                                                         options().recompute_every,
                                                         begins,
                                                         ends,
                                                         options().zero_guess};
      detail::krylov::launch_cg<how>(exec, scheme_, device_, problem, vectors);
    };
    if (options().check_every == 0) return launch(options().max_iterations, true, true);
    launch(0, true, false);
    monitor_.run(exec, detail::krylov::method_of_cg,
                 detail::krylov::Iteration{
                     [&](int, int stop) { launch(stop, false, false); },
                     [&](detail::krylov::Due due) {
                       if (due == detail::krylov::Due::last)
                         launch(0, false, true);  // otherwise the kernel verifies
                     },
                     [] {}, [&](const auto& progress) { best_.keep(exec, progress, x_); },
                     [&](const auto& progress) { return best_.restore(exec, progress, x_); }});
    give(exec, x);
  }

  /// The vectors that passes read for M. Flexible ones read z, of any M, which is r without one.
  template <How how, class M>
  Const read_of(M& preconditioner) const {
    if constexpr (how == How::by_operator) {
      return read(detail::krylov::no_preconditioner<M> ? r_ : z_);
    } else {
      return detail::krylov::read_of<S>(preconditioner, read(z_), rows_);
    }
  }

  /// The passes of a step, for one way of reading M.
  template <detail::krylov::Preconditioned how>
  struct Passes {
    CgSolver& solver;
    /// r . z, and r . p if flexible, if the iteration continues from b - A x.
    void restart(const Exec& exec, const Const& z) const;
    /// r -= alpha q with alpha = rho / p . q; r . r and, unless z is a vector, beta. If z is a
    /// vector, a reduction of r . r waits for that of r . z: rho completes both.
    void residual(const Exec& exec, const Const& z) const;
    auto residual_pass(const Const& z) const;
    /// x += alpha p, p = z + beta p; with `turning`: p = z, if the iteration restarts.
    void directions(const Exec& exec, const Const& z, bool turning) const;
  };
  /// p . q
  void curvature(const Exec& exec);
  /// r . z, if z is a vector, and beta from it.
  void rho(const Exec& exec, const Const& z);

  template <class M>
  void restart(const Exec& exec, M& preconditioner) {
    scale_residual(exec);
    if (flexible()) {
      restart_by<How::by_operator>(exec, preconditioner);
    } else {
      restart_by<detail::krylov::how_with<M>()>(exec, preconditioner);
    }
  }
  template <How how, class M>
  void restart_by(const Exec& exec, M& preconditioner) {
    if constexpr (how == How::by_operator) this->preconditioned(exec, preconditioner, r_, z_);
    const Const z = read_of<how>(preconditioner);
    const Passes<how> passes{*this};
    passes.restart(exec, z);
    passes.directions(exec, z, true);
  }

  /// q = A p, and p . q
  template <class A>
  void multiply(const Exec& exec, A& matrix) {
    namespace krylov = detail::krylov;
    if constexpr (takes_dot<A>) {
      if (count() == 1) {
        krylov::recordable<A>(exec, [&] {
          matrix.apply_dot(exec, ConstSolverVector<Exec, S>(column(p_)), column(q_), workspace_,
                           krylov::SolverNumber<Exec, Sum>(sums_.place_of(curvature_)));
        });
        return sums_.complete_placed(exec, curvature_);
      }
    }
    krylov::apply<Exec, S>(exec, matrix, p_, q_);
    curvature(exec);
  }

  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool) {
    multiply(exec, matrix);
    if (flexible()) {
      step_by<How::by_operator>(exec, preconditioner);
    } else {
      step_by<detail::krylov::how_with<M>()>(exec, preconditioner);
    }
  }
  template <How how, class M>
  void step_by(const Exec& exec, M& preconditioner) {
    const Const z = read_of<how>(preconditioner);
    const Passes<how> passes{*this};
    passes.residual(exec, z);
    if constexpr (how == How::by_operator) {
      this->preconditioned(exec, preconditioner, r_, z_);
      rho(exec, z);
    }
    passes.directions(exec, z, false);
  }

  Device device_;
  Scheme scheme_;
  Vectors p_, z_;
  Sum* curvature_ = nullptr;
};

/// The scalar is double if none is named.
template <ExecutionSpace Exec>
CgSolver(const Exec&, std::int64_t, const KrylovOptions& = {}) -> CgSolver<Exec, double>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "cg_definitions.hpp"
#endif

/// The instances of conjugate gradients for a scalar that the compiled part (compiled.hpp) holds:
/// all but the loop over an operator and a preconditioner.
#define HEDDLE_CG_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_CG_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_CG_INSTANCES_ON(EXTERN, SCALAR, EXEC)                                               \
  HEDDLE_SOLVER_INSTANCES(EXTERN, SCALAR, EXEC, heddle::CgSolver, heddle::detail::krylov::CgState) \
  EXTERN template class heddle::detail::krylov::Monitor<EXEC, SCALAR,                              \
                                                        heddle::detail::krylov::CgState>;          \
  HEDDLE_CG_PASSES(EXTERN, SCALAR, not_at_all, EXEC)                                               \
  HEDDLE_CG_PASSES(EXTERN, SCALAR, by_diagonal, EXEC)                                              \
  HEDDLE_CG_PASSES(EXTERN, SCALAR, by_operator, EXEC)                                              \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, not_at_all, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC))      \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, not_at_all, EXEC,                                        \
                          HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))                               \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, by_diagonal, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC))     \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, by_diagonal, EXEC,                                       \
                          HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_CG_PASSES(EXTERN, SCALAR, HOW, EXEC)              \
  EXTERN template struct heddle::CgSolver<EXEC, SCALAR>::Passes< \
      heddle::detail::krylov::Preconditioned::HOW>;
#define HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, HOW, EXEC, ...)                   \
  EXTERN template void                                                            \
  heddle::detail::krylov::launch_cg<heddle::detail::krylov::Preconditioned::HOW>( \
      const EXEC&, const ::heddle::Scheme&, const ::heddle::Device&,              \
      const heddle::detail::krylov::CgProblem<SCALAR, __VA_ARGS__>&,              \
      const heddle::detail::krylov::CgVectors<SCALAR*>&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_CG_INSTANCES, HEDDLE_EXTERN)
