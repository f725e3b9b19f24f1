// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/dots.hpp"
#include "residual.hpp"

/// The passes of BiCGStab, whose numbers stay on the device.
namespace heddle::detail::krylov {

template <Scalar S>
struct BicgstabState {
  static constexpr int cost = 2;  ///< products of a step
  Progress progress;
  Wide<S> rho, alpha, omega, beta;
  double shadow_norm, s_norm;
  double t_scale;  ///< a power of two by which A M r of an r of norm 1 is about that long
  int moves;       ///< whether x moves in this step
  int half;        ///< whether it ends with its first half

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress.running(); }
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

/// Where the iteration goes on from b - A x: rho = shadow . r, and where it begins anew shadow = p
/// = r.
template <Scalar S>
struct BicgstabRestart {
  static constexpr int sums = 1;
  using accumulator_type = Wide<S>;
  Multivector<const S> r;
  Multivector<S> shadow, p;
  BicgstabState<S>* state;

  template <class Pack>
  struct Constants {
    bool anew;
  };
  template <class Pack>
  struct Values {
    Pack r, shadow;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->progress.unscaled != 0; }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {state->progress.anew != 0};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at,
                                                const Constants<Pack>& with) const {
    const Pack of_r = at.load(r);
    return {of_r, with.anew ? of_r : at.load(shadow)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    if (with.anew) {
      at.store(shadow, of.r);
      at.store(p, of.r);
    }
    *sum = Pack::multiply_add(Pack::conjugate(of.shadow), of.r, *sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    Progress& progress = state->progress;
    state->moves = state->half = 0;
    if (!progress.unscaled) return;
    progress.unscaled = 0;
    if (progress.anew) {
      state->shadow_norm = Kokkos::sqrt(real_part(*total));
      state->alpha = state->omega = state->beta = Wide<S>(0);
    } else {
      state->beta = state->beta * (*total / state->rho);
    }
    state->rho = *total;
  }
};

/// p = r + beta (p - omega v)
template <Scalar S>
struct BicgstabDirection : PassWithoutSums {
  using accumulator_type = Wide<S>;
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

/// shadow . v and the norm of v; alpha
template <Scalar S>
struct BicgstabAlpha {
  using Norm = Squares<S>;
  static constexpr int sums = 1 + Norm::sums;
  using accumulator_type = Wide<S>;
  Multivector<const S> shadow, v;
  BicgstabState<S>* state;

  template <class Pack>
  using Constants = NoConstants<Pack>;
  template <class Pack>
  struct Values {
    Pack shadow, v;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const NoConstants<Pack>&) const {
    return {at.load(shadow), at.load(v)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries&, const NoConstants<Pack>&,
                                         const Values<Pack>& of, Pack* sum) const {
    sum[0] = Pack::multiply_add(Pack::conjugate(of.shadow), of.v, sum[0]);
    Norm::add(of.v, sum + 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    state->moves = state->half = 0;
    if (!state->running()) return;
    const double size = Norm::norm(total + 1);
    if (!finite(total[0]) || !Kokkos::isfinite(size)) {
      state->progress.outcome = Outcome::not_a_number;
    } else if (vanishes<S>(total[0], state->shadow_norm * size)) {
      state->progress.outcome = Outcome::breakdown;
    } else {
      state->alpha = state->rho / total[0];
      state->t_scale = PowerOfTwo::below(size).reciprocal;
      state->moves = 1;
    }
  }
};

/// r = r - alpha v, which is s, and its norm
template <Scalar S>
struct BicgstabHalf {
  static constexpr int sums = 1;
  using accumulator_type = Wide<S>;
  Multivector<S> r;
  Multivector<const S> v;
  BicgstabState<S>* state;
  Limits limits;

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
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack entry = at.keep(Pack::multiply_add(with.minus_alpha, of.v, of.r));
    at.store(r, entry);
    *sum = Pack::multiply_add(Pack::conjugate(entry), entry, *sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    if (!state->running()) return;
    Progress& progress = state->progress;
    state->s_norm = Kokkos::sqrt(real_part(*total));
    if (!Kokkos::isfinite(state->s_norm)) {
      progress.outcome = Outcome::not_a_number;
      state->moves = 0;
    } else if (state->s_norm * progress.unscale <= progress.target) {
      state->half = 1;
      state->omega = Wide<S>(0);
      advance(progress, limits, 0, state->s_norm, 1, BicgstabState<S>::cost);
    }
  }
};

/// t . s and t . t, and omega. Where t is zero, s is the residual: omega is zero, and the step ends
/// with what is there.
template <Scalar S>
struct BicgstabOmega {
  static constexpr int sums = 2;
  using accumulator_type = Wide<S>;
  Multivector<const S> s, t;
  BicgstabState<S>* state;

  template <class Pack>
  struct Constants {
    Pack scale;
  };
  template <class Pack>
  struct Values {
    Pack s, t;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->running(); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(Wide<S>(state->t_scale))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(s), at.load(t)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries&, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack scaled = Pack::multiply(with.scale, of.t), conjugate = Pack::conjugate(scaled);
    sum[0] = Pack::multiply_add(conjugate, of.s, sum[0]);
    sum[1] = Pack::multiply_add(conjugate, scaled, sum[1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    if (!state->running()) return;
    const double square = real_part(total[1]);
    if (!finite(total[0]) || !Kokkos::isfinite(square)) {
      state->progress.outcome = Outcome::not_a_number;
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
struct BicgstabUpdate {
  static constexpr int sums = 2;
  using accumulator_type = Wide<S>;
  Multivector<S> x, r;
  Multivector<const S> p, s, t, shadow;
  BicgstabState<S>* state;
  Limits limits;

  template <class Pack>
  struct Constants {
    Pack alpha, omega, minus_omega;
    bool half;
  };
  template <class Pack>
  struct Values {
    Pack x, r, p, s, t, shadow;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state->moves != 0; }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    const double unscale = state->progress.unscale;
    return {Pack::all(state->alpha * unscale), Pack::all(state->omega * unscale),
            Pack::all(-state->omega), state->half != 0};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at,
                                                const Constants<Pack>& with) const {
    if (with.half) {
      return {at.load(x), at.load(r), at.load(p), Pack::zero(), Pack::zero(), Pack::zero()};
    }
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
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    const bool moved = state->moves != 0;
    state->moves = 0;
    if (!state->running() || !moved) return;
    const double norm = Kokkos::sqrt(real_part(total[0]));
    advance(state->progress, limits, 0, norm, 2, BicgstabState<S>::cost);
    if (!state->running()) return;
    const Wide<S> rho = total[1];
    if (!finite(rho)) {
      state->progress.outcome = Outcome::not_a_number;
    } else if (vanishes<S>(rho, state->shadow_norm * norm) || !(Kokkos::abs(state->omega) > 0)) {
      state->progress.outcome = Outcome::breakdown;
    } else {
      state->beta = (rho / state->rho) * (state->alpha / state->omega);
      state->rho = rho;
    }
  }
};

}  // namespace heddle::detail::krylov
