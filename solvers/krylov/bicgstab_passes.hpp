// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/dots.hpp"
#include "preconditioned.hpp"
#include "state.hpp"

/// The passes of BiCGStab, whose numbers stay on the device.
namespace heddle::detail::krylov {

template <Scalar S>
struct BicgstabState {
  using Real = heddle::RealOf<S>;
  Progress<Real> progress;
  S rho, alpha, omega, beta;
  int moves;  ///< whether x moves in this step

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress.outcome == Outcome::running; }
};

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool finite(const S& value) {
  return is_finite(Kokkos::abs(value));
}

/// Zero, or NaN: nothing to divide by.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool vanishes(Real value) {
  return !(value > Real(0));
}

/// FirstResidual, and shadow = p = r
template <Scalar S>
struct BicgstabBegin : FirstResidual<S> {
  using Real = heddle::RealOf<S>;
  Multivector<S> shadow, p;
  BicgstabState<S>* state;
  Limits<Real> limits;

  template <class Entries, class Pack, class Constants, class Values>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants& with, const Values& of,
                                         Pack* sum) const {
    const Pack entry = this->residual(at, with, of, sum);
    at.store(shadow, entry);
    at.store(p, entry);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const S* total) const {
    begin(state->progress, limits, 0, real_part(total[0]), real_part(total[1]));
    state->rho = S(real_part(total[0]));
    state->alpha = state->omega = state->beta = S(0);
    state->moves = 0;
  }
};

/// p = r + beta (p - omega v)
template <Scalar S>
struct BicgstabDirection : vectors::PassWithoutSums {
  using accumulator_type = S;
  Multivector<const S> r, v;
  Multivector<S> p;
  const BicgstabState<S>* state;

  template <class Pack>
  struct Constants {
    Pack beta, minus_omega;
  };
  template <class Pack>
  struct Values {
    Pack r, v, p;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(state->beta), Pack::all(-state->omega)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(r), at.load(v), at.load(p)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    const Pack less = Pack::multiply_add(with.minus_omega, of.v, of.p);
    at.store(p, Pack::multiply_add(with.beta, less, of.r));
  }
};

/// shadow . v, and alpha
template <Scalar S>
struct BicgstabAlpha : heddle::vectors::passes::SumOfProducts<S> {
  using accumulator_type = S;
  BicgstabState<S>* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const S* total) const {
    state->moves = 0;
    if (!state->running()) return;
    if (!finite(*total)) {
      state->progress.outcome = Outcome::not_a_number;
    } else if (vanishes(Kokkos::abs(*total))) {
      state->progress.outcome = Outcome::breakdown;
    } else {
      state->alpha = state->rho / *total;
      state->moves = 1;
    }
  }
};

/// r = r - alpha v
template <Scalar S>
struct BicgstabHalf : vectors::PassWithoutSums {
  using accumulator_type = S;
  Multivector<S> r;
  Multivector<const S> v;
  const BicgstabState<S>* state;

  template <class Pack>
  struct Constants {
    Pack minus_alpha;
  };
  template <class Pack>
  struct Values {
    Pack r, v;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(-state->alpha)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(r), at.load(v)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    at.store(r, Pack::multiply_add(with.minus_alpha, of.v, of.r));
  }
};

/// t . s and t . t, and omega. Where t is zero, s is the residual: omega is zero, and the step ends
/// with what is there.
template <Scalar S>
struct BicgstabOmega {
  static constexpr int sums = 2;
  using accumulator_type = S;
  Multivector<const S> s, t;
  BicgstabState<S>* state;

  template <class Pack>
  struct Constants {};
  template <class Pack>
  struct Values {
    Pack s, t;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(s), at.load(t)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries&, const Constants<Pack>&,
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack conjugate = Pack::conjugate(of.t);
    sum[0] = Pack::multiply_add(conjugate, of.s, sum[0]);
    sum[1] = Pack::multiply_add(conjugate, of.t, sum[1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const S* total) const {
    if (!state->running()) return;
    if (!finite(total[0]) || !finite(total[1])) {
      state->progress.outcome = Outcome::not_a_number;
      state->moves = 0;
    } else if (vanishes(real_part(total[1]))) {
      state->omega = S(0);
    } else {
      state->omega = total[0] / real_part(total[1]);
    }
  }
};

/// x += alpha p' + omega s', r = s - omega t; r . r and shadow . r. p' and s' are M p and M s.
template <Scalar S>
struct BicgstabUpdate {
  static constexpr int sums = 2;
  using accumulator_type = S;
  using Real = heddle::RealOf<S>;
  Multivector<S> x, r;
  Multivector<const S> p, s, t, shadow;
  BicgstabState<S>* state;
  Limits<Real> limits;

  template <class Pack>
  struct Constants {
    Pack alpha, omega, minus_omega;
  };
  template <class Pack>
  struct Values {
    Pack x, r, p, s, t, shadow;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->moves != 0; }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(state->alpha), Pack::all(state->omega), Pack::all(-state->omega)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(x), at.load(r), at.load(p), at.load(s), at.load(t), at.load(shadow)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack first = Pack::multiply_add(with.alpha, of.p, of.x);
    at.store(x, Pack::multiply_add(with.omega, of.s, first));
    const Pack entry = at.keep(Pack::multiply_add(with.minus_omega, of.t, of.r));
    at.store(r, entry);
    sum[0] = Pack::multiply_add(Pack::conjugate(entry), entry, sum[0]);
    sum[1] = Pack::multiply_add(Pack::conjugate(of.shadow), entry, sum[1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const S* total) const {
    if (!state->running() || state->moves == 0) return;
    state->moves = 0;
    advance(state->progress, limits, 0, real_part(total[0]), 2);
    if (!state->running()) return;
    const S rho = total[1];
    if (!finite(rho)) {
      state->progress.outcome = Outcome::not_a_number;
    } else if (vanishes(Kokkos::abs(rho)) || vanishes(Kokkos::abs(state->omega))) {
      state->progress.outcome = Outcome::breakdown;
    } else {
      state->beta = (rho / state->rho) * (state->alpha / state->omega);
      state->rho = rho;
    }
  }
};

}  // namespace heddle::detail::krylov
