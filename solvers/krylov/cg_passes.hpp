// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/dots.hpp"
#include "concepts.hpp"
#include "residual.hpp"

/// The passes of conjugate gradients. Numbers of a step stay on the device: the last team of a pass
/// that adds up computes them.
namespace heddle::detail::krylov {

/// The numbers of one right-hand side, on the device.
struct CgState : Progress {
  double rho, alpha, beta;
  double z_scale;  ///< a power of two by which M r of an r of norm 1 is about that long
  double energy;   ///< of the error, x' A x: what steps have taken from it since the begin,
  double recent;   ///< and since the residual was the smallest
  int moves;       ///< whether this step has an alpha, so that x moves
  int turns;       ///< whether p is to be z, where it begins anew
};

/// A step lowers the energy of the error, whatever the residual does: at the limit of iterations
/// the last x is the best one.
inline constexpr Method method_of_cg{.keeps_directions = true, .last_is_best = true};

/// Whether a step can be taken along a p of this p . q.
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

/// r . M r of an r that is b - A x, and has a norm of about 1 where the iteration begins anew.
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

/// From the norm of the residual that the step came to.
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

/// Whether p goes on: after a claim too, which may fail.
KOKKOS_FORCEINLINE_FUNCTION bool has_direction(const CgState& state) {
  return state.running() || (state.outcome == Outcome::converged && state.moves != 0);
}

/// beta from the new r . M r
KOKKOS_FORCEINLINE_FUNCTION void next_direction(CgState& state, double product) {
  if (!has_direction(state)) return;
  const double rho = state.z_scale * product;
  if (state.running()) check_rho(state, rho);
  state.beta = rho / state.rho;
  state.rho = rho;
}

/// r . z where the iteration goes on from b - A x.
template <Scalar S, Preconditioned how>
struct CgRestart : vectors::Pass<Wide<S>, 1> {
  Multivector<const S> r, z;
  CgState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].unscaled != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(r), loaded(z, how != Preconditioned::not_at_all));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [](const auto&, Pack* sum, const Pack& r, const Pack& read) {
      add_dot(r, z_of<how>(read, r), *sum);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    state[v].turns = active(v) && state[v].anew ? 1 : 0;
    if (active(v)) restart_cg(state[v], real_part(*total));
  }
};

/// p . q, the curvature along p
template <Scalar S>
struct CgCurvature : heddle::vectors::passes::SumOfProducts<S, Wide<S>> {
  const CgState* state;
  Wide<S>* curvature;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].running(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    curvature[v] = *total;
  }
};

/// r -= alpha q with alpha = rho / p . q; r . r and r . z
template <Scalar S, Preconditioned how>
struct CgResidual : vectors::Pass<Wide<S>, how == Preconditioned::by_diagonal ? 2 : 1> {
  Multivector<S> r;
  Multivector<const S> q, z;
  CgState* state;
  const Wide<S>* curvature;
  Limits limits;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return state[v].running() && is_curved(real_part(curvature[v]));
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(r), loaded(q), loaded(z, how == Preconditioned::by_diagonal));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [minus_alpha = Pack::all(Wide<S>(-state[v].rho / real_part(curvature[v])))](
               const auto& at, Pack* sum, Pack& r, const Pack& q, const Pack& d) {
      r = at.keep(Pack::multiply_add(minus_alpha, q, r));
      add_dot(r, r, sum[0]);
      if constexpr (how == Preconditioned::by_diagonal) add_dot(r, Pack::multiply(d, r), sum[1]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    take_curvature(state[v], real_part(curvature[v]));
    if (!state[v].running()) return;
    advance_cg(state[v], limits, v, real_part(total[0]));
    if (how != Preconditioned::by_operator) {
      next_direction(state[v], real_part(total[CgResidual::sums - 1]));
    }
  }
};

/// r . z of a z that is a vector, and beta from it
template <Scalar S>
struct CgRho : heddle::vectors::passes::SumOfProducts<S, Wide<S>> {
  CgState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return has_direction(state[v]); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    next_direction(state[v], real_part(*total));
  }
};

/// x += alpha p, p = z + beta p. x is not scaled, and r and p are. With `turning`: p = z, where the
/// iteration begins anew.
template <Scalar S, Preconditioned how>
struct CgDirections : vectors::Pass<Wide<S>> {
  Multivector<S> x, p;
  Multivector<const S> r, z;
  const CgState* state;
  bool turning;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return (turning ? state[v].turns : state[v].moves) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x, !turning, !turning), updated(p, !turning),
                       loaded(r, how != Preconditioned::by_operator),
                       loaded(z, how != Preconditioned::not_at_all));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [alpha = Pack::all(Wide<S>(state[v].alpha * state[v].unscale)),
            beta = Pack::all(Wide<S>(state[v].beta)), scale = Pack::all(Wide<S>(state[v].z_scale))](
               Pack& x, Pack& p, const Pack& r, const Pack& read) {
      x = Pack::multiply_add(alpha, p, x);
      p = Pack::multiply_add(beta, p, Pack::multiply(scale, z_of<how>(read, r)));
    };
  }
};

}  // namespace heddle::detail::krylov
