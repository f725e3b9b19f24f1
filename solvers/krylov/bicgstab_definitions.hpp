// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bicgstab.hpp"
#include "solver_definitions.hpp"

/// Defines what bicgstab.hpp declares: the passes of BiCGStab. Right-hand side c has a state of its
/// own; v is a vector of the method.
namespace heddle::detail::krylov {

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool finite(const S& value) {
  return Kokkos::isfinite(Kokkos::abs(value));
}

/// Whether the dot of two vectors is only rounding, from the product of their norms.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool vanishes(const Wide<S>& dot, double norms) {
  return !(Kokkos::abs(dot) > Kokkos::Experimental::epsilon_v<heddle::RealOf<S>> * norms);
}

/// Restarts from an r of this norm, in place of a breakdown.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void begin_from_residual(BicgstabState<S>& state, double norm) {
  state.turns = state.fresh = 1;
  ++state.restarts;
  state.shadow_norm = norm;
  state.rho = Wide<S>(norm * norm);
  state.alpha = state.omega = state.beta = Wide<S>(0);
}

/// Continues the iteration from b - A x: rho = shadow . r, and in a restart shadow = p = r.
template <Scalar S>
struct BicgstabRestart : vectors::Pass<Wide<S>, 1> {
  Multivector<const S> r;
  Multivector<S> shadow, p;
  BicgstabState<S>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int c) const { return state[c].unscaled != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int c) const {
    const bool begins = anew(c);
    return operands_of(loaded(r), updated(shadow, !begins, begins), stored(p, begins));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int c) const {
    return [begins = anew(c)](const auto&, Pack* sum, const Pack& r, Pack& shadow, Pack& p) {
      if (begins) shadow = r;
      p = r;
      add_dot(shadow, r, *sum);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int c, const Wide<S>* total) const {
    BicgstabState<S>& of = state[c];
    of.moves = of.half = 0;
    if (!of.unscaled) return;
    of.unscaled = 0;
    if (anew(c)) {
      of.fresh = 1;
      of.shadow_norm = Kokkos::sqrt(real_part(*total));
      of.alpha = of.omega = of.beta = Wide<S>(0);
    } else {
      of.beta = of.beta * (*total / of.rho);
    }
    of.rho = *total;
    of.turns = 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool anew(int c) const { return state[c].anew || state[c].turns; }
};

/// p = r + beta (p - omega v); in a restart shadow = p = r.
template <Scalar S>
struct BicgstabDirection : vectors::Pass<Wide<S>> {
  Multivector<const S> r, v;
  Multivector<S> p, shadow;
  const BicgstabState<S>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int c) const { return state[c].running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int c) const {
    const bool turns = state[c].turns != 0;
    return operands_of(loaded(r), loaded(v, !turns), updated(p, !turns), stored(shadow, turns));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int c) const {
    return [beta = Pack::all(state[c].beta), minus_omega = Pack::all(-state[c].omega)](
               const Pack& r, const Pack& v, Pack& p, Pack& shadow) {
      shadow = r;
      p = Pack::multiply_add(beta, Pack::multiply_add(minus_omega, v, p), r);
    };
  }
};

/// shadow . v and the norm of v; alpha
template <Scalar S>
struct BicgstabAlpha : vectors::Pass<Wide<S>, 1 + WideSquares<S>::sums> {
  using Norm = WideSquares<S>;
  Multivector<const S> shadow, v;
  BicgstabState<S>* state;
  Limits limits;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int c) const { return state[c].running(); }
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
  KOKKOS_FORCEINLINE_FUNCTION void finish(int c, const Wide<S>* total) const {
    BicgstabState<S>& of = state[c];
    of.moves = of.half = 0;
    if (!of.running()) return;
    of.turns = 0;
    const double size = Norm::norm(total + 1);
    if (!finite(total[0]) || !Kokkos::isfinite(size)) {
      of.outcome = Outcome::not_a_number;
    } else if (vanishes<S>(total[0], of.shadow_norm * size)) {
      if (of.fresh) {
        of.outcome = Outcome::breakdown;
      } else {  // x stays in this step, whose products count
        const double norm = of.carried * of.scale;
        begin_from_residual(of, norm);
        advance(of, limits, c, norm, products_of_bicgstab, products_of_bicgstab);
      }
    } else {
      of.alpha = of.rho / total[0];
      of.t_scale = PowerOfTwo::below(size).reciprocal;
      of.moves = 1;
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

  KOKKOS_FORCEINLINE_FUNCTION bool active(int c) const {
    return state[c].running() && state[c].moves;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(r), loaded(v));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int c) const {
    return [minus_alpha = Pack::all(-state[c].alpha)](const auto& at, Pack* sum, Pack& r,
                                                      const Pack& v) {
      r = at.keep(Pack::multiply_add(minus_alpha, v, r));
      add_dot(r, r, *sum);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int c, const Wide<S>* total) const {
    BicgstabState<S>& of = state[c];
    if (!active(c)) return;
    of.s_norm = Kokkos::sqrt(real_part(*total));
    if (!Kokkos::isfinite(of.s_norm)) {
      of.outcome = Outcome::not_a_number;
      of.moves = 0;
    } else if (claims(of, of.s_norm)) {
      of.half = 1;
      of.omega = Wide<S>(0);
      advance(of, limits, c, of.s_norm, 1, products_of_bicgstab);
    }
  }
};

/// t . s, t . t and omega. If t . s vanishes, omega is zero: s is the new residual, and x moves
/// only along p.
template <Scalar S>
struct BicgstabOmega : vectors::Pass<Wide<S>, 2> {
  Multivector<const S> s, t;
  BicgstabState<S>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int c) const {
    return state[c].running() && state[c].moves;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const { return operands_of(loaded(s), loaded(t)); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int c) const {
    return [scale = Pack::all(Wide<S>(state[c].t_scale))](const auto&, Pack* sum, const Pack& s,
                                                          const Pack& t) {
      const Pack scaled = Pack::multiply(scale, t);
      add_dot(scaled, s, sum[0]);
      add_dot(scaled, scaled, sum[1]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int c, const Wide<S>* total) const {
    BicgstabState<S>& of = state[c];
    if (!active(c)) return;
    const double square = real_part(total[1]);
    if (!finite(total[0]) || !Kokkos::isfinite(square)) {
      of.outcome = Outcome::not_a_number;
      of.moves = 0;
    } else if (vanishes<S>(total[0], Kokkos::sqrt(square) * of.s_norm)) {
      of.omega = Wide<S>(0);
    } else {
      of.omega = total[0] / square * of.t_scale;
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

  KOKKOS_FORCEINLINE_FUNCTION bool active(int c) const { return state[c].moves != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int c) const {
    const bool whole = state[c].half == 0;
    return operands_of(updated(x), updated(r), loaded(p), loaded(s, whole), loaded(t, whole),
                       loaded(shadow, whole));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int c) const {
    const double unscale = state[c].unscale;
    return [alpha = Pack::all(state[c].alpha * unscale),
            omega = Pack::all(state[c].omega * unscale), minus_omega = Pack::all(-state[c].omega)](
               const auto& at, Pack* sum, Pack& x, Pack& r, const Pack& p, const Pack& s,
               const Pack& t, const Pack& shadow) {
      x = Pack::multiply_add(omega, s, Pack::multiply_add(alpha, p, x));
      r = at.keep(Pack::multiply_add(minus_omega, t, r));
      add_dot(r, r, sum[0]);
      add_dot(shadow, r, sum[1]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int c, const Wide<S>* total) const {
    BicgstabState<S>& of = state[c];
    const bool moved = of.moves != 0;
    of.moves = 0;
    if (!of.running() || !moved) return;
    const double norm = Kokkos::sqrt(real_part(total[0]));
    advance(of, limits, c, norm, products_of_bicgstab, products_of_bicgstab);
    if (!of.running()) return;
    const Wide<S> rho = total[1];
    if (!finite(rho)) {
      of.outcome = Outcome::not_a_number;
    } else if (vanishes<S>(rho, of.shadow_norm * norm) || !(Kokkos::abs(of.omega) > 0)) {
      if (of.fresh && !(norm < of.shadow_norm)) {
        of.outcome = Outcome::breakdown;
      } else {
        begin_from_residual(of, norm);
      }
    } else {
      of.fresh = 0;
      of.beta = (rho / of.rho) * (of.alpha / of.omega);
      of.rho = rho;
    }
  }
};

}  // namespace heddle::detail::krylov

namespace heddle {

template <ExecutionSpace Exec, Scalar S>
BicgstabSolver<Exec, S>::BicgstabSolver(const Exec& exec, std::int64_t rows,
                                        const KrylovOptions& options)
    : Base(exec, rows, options) {
  this->allocate(exec, {&shadow_, &p_, &v_, &p_hat_, &s_hat_});
}

template <ExecutionSpace Exec, Scalar S>
void BicgstabSolver<Exec, S>::go_on(const Exec& exec) {
  scale_residual(exec);
  pass(exec, "heddle::bicgstab::restart",
       detail::krylov::BicgstabRestart<S>{{}, read(r_), write(shadow_), write(p_), states()});
}

template <ExecutionSpace Exec, Scalar S>
void BicgstabSolver<Exec, S>::direction(const Exec& exec) {
  pass(exec, "heddle::bicgstab::direction",
       detail::krylov::BicgstabDirection<S>{
           {}, read(r_), read(v_), write(p_), write(shadow_), states()});
}

template <ExecutionSpace Exec, Scalar S>
void BicgstabSolver<Exec, S>::half_step(const Exec& exec) {
  pass(exec, "heddle::bicgstab::alpha",
       detail::krylov::BicgstabAlpha<S>{{}, read(shadow_), read(v_), states(), limits()});
  pass(exec, "heddle::bicgstab::half",
       detail::krylov::BicgstabHalf<S>{{}, write(r_), read(v_), states(), limits()});
}

template <ExecutionSpace Exec, Scalar S>
void BicgstabSolver<Exec, S>::omega(const Exec& exec) {
  pass(exec, "heddle::bicgstab::omega",
       detail::krylov::BicgstabOmega<S>{{}, read(r_), read(q_), states()});
}

template <ExecutionSpace Exec, Scalar S>
void BicgstabSolver<Exec, S>::update(const Exec& exec, const Vectors& p, const Vectors& s) {
  pass(
      exec, "heddle::bicgstab::update",
      detail::krylov::BicgstabUpdate<S>{
          {}, write(x_), write(r_), read(p), read(s), read(q_), read(shadow_), states(), limits()});
}

}  // namespace heddle
