// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/dots.hpp"
#include "../vectors/instantiate.hpp"
#include "solver.hpp"
#include "state.hpp"

/// The passes of BiCGStab, whose numbers stay on the device.
namespace heddle::detail::krylov {

inline constexpr int products_of_bicgstab = 2;  // of a step

template <Scalar S>
struct BicgstabState : Progress {
  Wide<S> rho, alpha, omega, beta;
  double shadow_norm, s_norm;
  double t_scale;  ///< a power of two by which A M r of an r of norm 1 is about that long
  int moves;       ///< whether x moves in this step
  int half;        ///< whether it ends with its first half
  int fresh;       ///< whether this step is the first one since it began anew
  int turns;       ///< whether shadow and p are to be r, where the step before would break down
};

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool finite(const S& value) {
  return Kokkos::isfinite(Kokkos::abs(value));
}

/// Whether the dot of two vectors is rounding alone.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool vanishes(const Wide<S>& dot, double norms) {
  return !(Kokkos::abs(dot) > Kokkos::Experimental::epsilon_v<heddle::RealOf<S>> * norms);
}

/// In place of a breakdown, with an r of this norm.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void begin_from_residual(BicgstabState<S>& state, double norm) {
  state.turns = state.fresh = 1;
  ++state.restarts;
  state.shadow_norm = norm;
  state.rho = Wide<S>(norm * norm);
  state.alpha = state.omega = state.beta = Wide<S>(0);
}

/// Where the iteration goes on from b - A x: rho = shadow . r, and where it begins anew shadow = p
/// = r.
template <Scalar S>
struct BicgstabRestart : vectors::Pass<Wide<S>, 1> {
  Multivector<const S> r;
  Multivector<S> shadow, p;
  BicgstabState<S>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->unscaled != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    const bool begins = anew();
    return operands_of(loaded(r), updated(shadow, !begins, begins), stored(p, begins));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [begins = anew()](const auto&, Pack* sum, const Pack& r, Pack& shadow, Pack& p) {
      if (begins) shadow = r;
      p = r;
      add_dot(shadow, r, *sum);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    state->moves = state->half = 0;
    if (!state->unscaled) return;
    state->unscaled = 0;
    if (anew()) {
      state->fresh = 1;
      state->shadow_norm = Kokkos::sqrt(real_part(*total));
      state->alpha = state->omega = state->beta = Wide<S>(0);
    } else {
      state->beta = state->beta * (*total / state->rho);
    }
    state->rho = *total;
    state->turns = 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool anew() const { return state->anew || state->turns; }
};

/// p = r + beta (p - omega v); shadow = p = r where it begins anew.
template <Scalar S>
struct BicgstabDirection : vectors::Pass<Wide<S>> {
  Multivector<const S> r, v;
  Multivector<S> p, shadow;
  const BicgstabState<S>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    const bool turns = state->turns != 0;
    return operands_of(loaded(r), loaded(v, !turns), updated(p, !turns), stored(shadow, turns));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [beta = Pack::all(state->beta), minus_omega = Pack::all(-state->omega)](
               const Pack& r, const Pack& v, Pack& p, Pack& shadow) {
      shadow = r;
      p = Pack::multiply_add(beta, Pack::multiply_add(minus_omega, v, p), r);
    };
  }
};

/// shadow . v and the norm of v; alpha
template <Scalar S>
struct BicgstabAlpha : vectors::Pass<Wide<S>, 1 + Squares<S>::sums> {
  using Norm = Squares<S>;
  Multivector<const S> shadow, v;
  BicgstabState<S>* state;
  Limits limits;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(shadow), loaded(v));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [](const auto&, Pack* sum, const Pack& shadow, const Pack& v) {
      add_dot(shadow, v, sum[0]);
      Norm::add(v, sum + 1);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    state->moves = state->half = 0;
    if (!state->running()) return;
    state->turns = 0;
    const double size = Norm::norm(total + 1);
    if (!finite(total[0]) || !Kokkos::isfinite(size)) {
      state->outcome = Outcome::not_a_number;
    } else if (vanishes<S>(total[0], state->shadow_norm * size)) {
      if (state->fresh) {
        state->outcome = Outcome::breakdown;
      } else {  // x stays in this step, whose products count
        const double norm = state->carried * state->scale;
        begin_from_residual(*state, norm);
        advance(*state, limits, 0, norm, products_of_bicgstab, products_of_bicgstab);
      }
    } else {
      state->alpha = state->rho / total[0];
      state->t_scale = PowerOfTwo::below(size).reciprocal;
      state->moves = 1;
    }
  }
};

/// r = r - alpha v, which is s, and its norm
template <Scalar S>
struct BicgstabHalf : vectors::Pass<Wide<S>, 1> {
  Multivector<S> r;
  Multivector<const S> v;
  BicgstabState<S>* state;
  Limits limits;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running() && state->moves; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(r), loaded(v));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [minus_alpha = Pack::all(-state->alpha)](const auto& at, Pack* sum, Pack& r,
                                                    const Pack& v) {
      r = at.keep(Pack::multiply_add(minus_alpha, v, r));
      add_dot(r, r, *sum);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    if (!active(0)) return;
    state->s_norm = Kokkos::sqrt(real_part(*total));
    if (!Kokkos::isfinite(state->s_norm)) {
      state->outcome = Outcome::not_a_number;
      state->moves = 0;
    } else if (claims(*state, state->s_norm)) {
      state->half = 1;
      state->omega = Wide<S>(0);
      advance(*state, limits, 0, state->s_norm, 1, products_of_bicgstab);
    }
  }
};

/// t . s and t . t, and omega. Where t is zero, s is the residual: omega is zero, and the step ends
/// with what is there.
template <Scalar S>
struct BicgstabOmega : vectors::Pass<Wide<S>, 2> {
  Multivector<const S> s, t;
  BicgstabState<S>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running() && state->moves; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const { return operands_of(loaded(s), loaded(t)); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [scale = Pack::all(Wide<S>(state->t_scale))](const auto&, Pack* sum, const Pack& s,
                                                        const Pack& t) {
      const Pack scaled = Pack::multiply(scale, t);
      add_dot(scaled, s, sum[0]);
      add_dot(scaled, scaled, sum[1]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    if (!active(0)) return;
    const double square = real_part(total[1]);
    if (!finite(total[0]) || !Kokkos::isfinite(square)) {
      state->outcome = Outcome::not_a_number;
      state->moves = 0;
    } else if (vanishes<S>(total[0], Kokkos::sqrt(square) * state->s_norm)) {
      state->omega = Wide<S>(0);
    } else {
      state->omega = total[0] / square * state->t_scale;
    }
  }
};

/// x += alpha p' + omega s', r = s - omega t; r . r and shadow . r. p' and s' are M p and M s.
template <Scalar S>
struct BicgstabUpdate : vectors::Pass<Wide<S>, 2> {
  Multivector<S> x, r;
  Multivector<const S> p, s, t, shadow;
  BicgstabState<S>* state;
  Limits limits;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->moves != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    const bool whole = state->half == 0;
    return operands_of(updated(x), updated(r), loaded(p), loaded(s, whole), loaded(t, whole),
                       loaded(shadow, whole));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    const double unscale = state->unscale;
    return [alpha = Pack::all(state->alpha * unscale), omega = Pack::all(state->omega * unscale),
            minus_omega = Pack::all(-state->omega)](const auto& at, Pack* sum, Pack& x, Pack& r,
                                                    const Pack& p, const Pack& s, const Pack& t,
                                                    const Pack& shadow) {
      x = Pack::multiply_add(omega, s, Pack::multiply_add(alpha, p, x));
      r = at.keep(Pack::multiply_add(minus_omega, t, r));
      add_dot(r, r, sum[0]);
      add_dot(shadow, r, sum[1]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    const bool moved = state->moves != 0;
    state->moves = 0;
    if (!state->running() || !moved) return;
    const double norm = Kokkos::sqrt(real_part(total[0]));
    advance(*state, limits, 0, norm, products_of_bicgstab, products_of_bicgstab);
    if (!state->running()) return;
    const Wide<S> rho = total[1];
    if (!finite(rho)) {
      state->outcome = Outcome::not_a_number;
    } else if (vanishes<S>(rho, state->shadow_norm * norm) || !(Kokkos::abs(state->omega) > 0)) {
      if (state->fresh && !(norm < state->shadow_norm)) {
        state->outcome = Outcome::breakdown;
      } else {
        begin_from_residual(*state, norm);
      }
    } else {
      state->fresh = 0;
      state->beta = (rho / state->rho) * (state->alpha / state->omega);
      state->rho = rho;
    }
  }
};

}  // namespace heddle::detail::krylov

namespace heddle {

/// BiCGStab: solves A x = b for any A in the memory of eight vectors, with any preconditioner M on
/// the right, so that the residual is that of A x = b itself. Where it would break down it begins
/// anew from the residual, which KrylovResult::restarts counts, and breaks down if that does not
/// help. It may stagnate, which the result reports; GMRES needs more vectors.
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
  /// A solver for systems of `rows` unknowns. Throws Error if options are invalid. Without `exec`:
  /// on the default instance.
  BicgstabSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit BicgstabSolver(std::int64_t rows, const KrylovOptions& options = {})
      : BicgstabSolver(Exec(), rows, options) {}

 private:
  using Base::limits, Base::q_, Base::r_, Base::read, Base::rows_, Base::scale_residual,
      Base::states, Base::workspace_, Base::write, Base::x_;
  using typename Base::Vectors;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "BicgstabSolver"},
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

  template <class M>
  void begin(const Exec& exec, M& preconditioner) {
    vectors::scale(exec, 0, v_);
    restart(exec, preconditioner);
  }
  template <class M>
  void restart(const Exec& exec, M&) {
    scale_residual(exec);
    pass(exec, "heddle::bicgstab::restart",
         detail::krylov::BicgstabRestart<S>{{}, read(r_), write(shadow_), write(p_), states()});
  }
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool) {
    namespace krylov = detail::krylov;
    const Vectors& t = q_;
    State* const state = states();
    pass(exec, "heddle::bicgstab::direction",
         krylov::BicgstabDirection<S>{{}, read(r_), read(v_), write(p_), write(shadow_), state});
    const Vectors p = this->preconditioned(exec, preconditioner, p_, p_hat_);
    krylov::apply<Exec, S>(exec, matrix, p, v_);
    pass(exec, "heddle::bicgstab::alpha",
         krylov::BicgstabAlpha<S>{{}, read(shadow_), read(v_), state, limits()});
    pass(exec, "heddle::bicgstab::half",
         krylov::BicgstabHalf<S>{{}, write(r_), read(v_), state, limits()});
    const Vectors s = this->preconditioned(exec, preconditioner, r_, s_hat_);
    krylov::apply<Exec, S>(exec, matrix, s, t);
    pass(exec, "heddle::bicgstab::omega", krylov::BicgstabOmega<S>{{}, read(r_), read(t), state});
    pass(exec, "heddle::bicgstab::update",
         krylov::BicgstabUpdate<S>{
             {}, write(x_), write(r_), read(p), read(s), read(t), read(shadow_), state, limits()});
  }

  Vectors shadow_, p_, v_, p_hat_, s_hat_;
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "bicgstab_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of BiCGStab, for a scalar: all but the loop over an
/// operator and a preconditioner.
#define HEDDLE_BICGSTAB_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_BICGSTAB_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_BICGSTAB_INSTANCES_ON(EXTERN, SCALAR, EXEC)                                    \
  EXTERN template class heddle::BicgstabSolver<EXEC, SCALAR>;                                 \
  HEDDLE_STATE_INSTANCES(EXTERN, SCALAR, EXEC, heddle::detail::krylov::BicgstabState<SCALAR>) \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabRestart<SCALAR>)       \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabDirection<SCALAR>)     \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabAlpha<SCALAR>)         \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabHalf<SCALAR>)          \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabOmega<SCALAR>)         \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabUpdate<SCALAR>)

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_BICGSTAB_INSTANCES, HEDDLE_EXTERN)
