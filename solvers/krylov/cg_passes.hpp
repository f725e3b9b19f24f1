// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/dots.hpp"
#include "preconditioned.hpp"
#include "state.hpp"

/// The passes of conjugate gradients. Numbers of a step stay on the device: the last team of a pass
/// that adds up computes them.
namespace heddle::detail::krylov {

using vectors::PassOfAll;
using vectors::PassWithoutSums;

/// Of one right-hand side.
template <class Real>
struct CgState {
  static constexpr bool has_schemes = true;
  Progress<Real> progress;
  Real rho, alpha, beta;
  int moves;  ///< whether this step has an alpha, so that x moves

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress.outcome == Outcome::running; }
};

/// Before the first step, from r . r, b . b and r . z of right-hand side v.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void begin_cg(CgState<Real>& state, const Limits<Real>& limits, int v,
                                          Real residual, Real right_hand_side, Real rho) {
  begin(state.progress, limits, v, residual, right_hand_side);
  state.rho = rho;
  state.alpha = state.beta = Real(0);
  state.moves = 0;
  if (!state.running()) return;
  if (!is_finite(rho)) state.progress.outcome = Outcome::not_a_number;
  if (rho <= Real(0)) state.progress.outcome = Outcome::indefinite;
}

/// Whether a step can be taken along a p of this p . q.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool is_curved(Real curvature) {
  return is_finite(curvature) && curvature > Real(0);
}

/// alpha from p . q
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void take_curvature(CgState<Real>& state, Real curvature) {
  state.moves = 0;
  if (!state.running()) return;
  if (is_curved(curvature)) {
    state.alpha = state.rho / curvature;
    state.moves = 1;
  } else {
    state.progress.outcome = is_finite(curvature) ? Outcome::indefinite : Outcome::not_a_number;
  }
}

/// beta from the new r . z
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void next_direction(CgState<Real>& state, Real rho) {
  if (!state.running()) return;
  if (!is_finite(rho)) {
    state.progress.outcome = Outcome::not_a_number;
  } else if (rho <= Real(0)) {
    state.progress.outcome = Outcome::indefinite;
  }
  state.beta = rho / state.rho;
  state.rho = rho;
}

/// After r was computed anew, as if the step had come to this residual: a residual that was carried
/// along too low is no measure for stagnation.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void take_residual_anew(CgState<Real>& state,
                                                    const Limits<Real>& limits, int v,
                                                    Real residual) {
  state.progress.residual = state.progress.best = residual;
  state.progress.best_iteration = state.progress.iterations;
  advance(state.progress, limits, v, residual, 0);
  state.progress.recomputed = 1;
}

/// p = z; r . r, b . b and r . z
template <Scalar S, Preconditioned How>
struct CgStart : PassOfAll {
  static constexpr int sums = 3;
  using accumulator_type = S;
  using Real = heddle::RealOf<S>;
  Multivector<const S> r, b;
  Residuals<S, How> residuals;
  Multivector<S> p;
  CgState<Real>* state;
  Limits<Real> limits;
  int first;  ///< right-hand side that this launch begins with

  template <class Pack>
  using Constants = NoConstants<Pack>;
  template <class Pack>
  struct Values {
    Pack r, b, z;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const NoConstants<Pack>&) const {
    const Pack of_r = at.load(r);
    return {of_r, at.load(b), residuals.read(at, of_r)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const NoConstants<Pack>&,
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack z = residuals.value(of.z, of.r);
    at.store(p, z);
    const Pack conjugate = Pack::conjugate(of.r);
    sum[0] = Pack::multiply_add(conjugate, of.r, sum[0]);
    sum[1] = Pack::multiply_add(Pack::conjugate(of.b), of.b, sum[1]);
    sum[2] = Pack::multiply_add(conjugate, z, sum[2]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const S* total) const {
    begin_cg(state[first + v], limits, first + v, real_part(total[0]), real_part(total[1]),
             real_part(total[2]));
  }
};

/// p . q, the curvature along p
template <Scalar S>
struct CgCurvature : heddle::vectors::passes::SumOfProducts<S> {
  using accumulator_type = S;
  using Real = heddle::RealOf<S>;
  const CgState<Real>* state;
  S* curvature;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].running(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const S* total) const { curvature[v] = *total; }
};

/// r -= alpha q with alpha = rho / p . q, or r = b - q with Anew; r . r and r . z
template <Scalar S, Preconditioned How, bool Anew>
struct CgResidual {
  static constexpr int sums = How == Preconditioned::by_diagonal ? 2 : 1;
  using accumulator_type = S;
  using Real = heddle::RealOf<S>;
  Multivector<S> r;
  Multivector<const S> q, b;
  Residuals<S, How> residuals;
  CgState<Real>* state;
  const S* curvature;
  Limits<Real> limits;
  int first;

  template <class Pack>
  struct Constants {
    Pack minus_alpha;
  };
  template <class Pack>
  struct Values {
    Pack r, q, d;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return state[first + v].running() && (Anew || is_curved(real_part(curvature[first + v])));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    if constexpr (Anew) return {Pack::all(S(-1))};
    return {Pack::all(S(-state[first + v].rho / real_part(curvature[first + v])))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    Pack d = Pack::zero();
    if constexpr (How == Preconditioned::by_diagonal) d = residuals.read(at, d);
    if constexpr (Anew) {
      return {at.load(b), at.load(q), d};
    } else {
      return {at.load(r), at.load(q), d};
    }
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack entry = at.keep(Pack::multiply_add(with.minus_alpha, of.q, of.r));
    at.store(r, entry);
    const Pack conjugate = Pack::conjugate(entry);
    sum[0] = Pack::multiply_add(conjugate, entry, sum[0]);
    if constexpr (How == Preconditioned::by_diagonal) {
      sum[1] = Pack::multiply_add(conjugate, Pack::multiply(of.d, entry), sum[1]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const S* total) const {
    CgState<Real>& mine = state[first + v];
    if constexpr (!Anew) take_curvature(mine, real_part(curvature[first + v]));
    if (!mine.running()) return;
    const Real rho = real_part(total[sums - 1]);
    if constexpr (Anew) {
      take_residual_anew(mine, limits, first + v, real_part(total[0]));
      if (How != Preconditioned::by_operator) mine.rho = rho;
    } else {
      advance(mine.progress, limits, first + v, real_part(total[0]), 1);
      if (How != Preconditioned::by_operator) next_direction(mine, rho);
    }
  }
};

/// r . z of a z that is a vector; beta from it, or with Anew only rho
template <Scalar S, bool Anew>
struct CgRho : heddle::vectors::passes::SumOfProducts<S> {
  using accumulator_type = S;
  using Real = heddle::RealOf<S>;
  CgState<Real>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].running(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const S* total) const {
    if constexpr (Anew) {
      if (state[v].running()) state[v].rho = real_part(*total);
    } else {
      next_direction(state[v], real_part(*total));
    }
  }
};

/// x += alpha p, p = z + beta p
template <Scalar S, Preconditioned How>
struct CgDirections : PassWithoutSums {
  using accumulator_type = S;
  using Real = heddle::RealOf<S>;
  Multivector<S> x, p;
  Multivector<const S> r;
  Residuals<S, How> residuals;
  const CgState<Real>* state;

  template <class Pack>
  struct Constants {
    Pack alpha, beta;
  };
  template <class Pack>
  struct Values {
    Pack x, p, r, z;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].moves != 0; }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    return {Pack::all(S(state[v].alpha)), Pack::all(S(state[v].beta))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    const Pack of_r = How == Preconditioned::by_operator ? Pack::zero() : at.load(r);
    return {at.load(x), at.load(p), of_r, residuals.read(at, of_r)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    at.store(x, Pack::multiply_add(with.alpha, of.p, of.x));
    at.store(p, Pack::multiply_add(with.beta, of.p, residuals.value(of.z, of.r)));
  }
};

}  // namespace heddle::detail::krylov
