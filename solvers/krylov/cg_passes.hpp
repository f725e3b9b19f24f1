// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/dots.hpp"
#include "cg_state.hpp"
#include "preconditioned.hpp"
#include "residual.hpp"

/// The passes of conjugate gradients. Numbers of a step stay on the device: the last team of a pass
/// that adds up computes them.
namespace heddle::detail::krylov {

/// r . z where the iteration goes on from b - A x; p = z where it begins anew.
template <Scalar S, Preconditioned How>
struct CgRestart {
  static constexpr int sums = 1;
  using accumulator_type = Wide<S>;
  Multivector<const S> r;
  Residuals<S, How> residuals;
  Multivector<S> p;
  CgState* state;

  template <class Pack>
  struct Constants {
    bool anew;
  };
  template <class Pack>
  struct Values {
    Pack r, z;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].progress.unscaled != 0; }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    return {state[v].progress.anew != 0};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    const Pack of_r = at.load(r);
    return {of_r, residuals.read(at, of_r)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack z = residuals.value(of.z, of.r);
    if (with.anew) at.store(p, z);
    *sum = Pack::multiply_add(Pack::conjugate(of.r), z, *sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    if (active(v)) restart_cg(state[v], real_part(*total));
  }
};

/// p . q, the curvature along p
template <Scalar S>
struct CgCurvature : heddle::vectors::passes::SumOfProducts<S> {
  using accumulator_type = Wide<S>;
  const CgState* state;
  Wide<S>* curvature;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].running(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    curvature[v] = *total;
  }
};

/// r -= alpha q with alpha = rho / p . q; r . r and r . z
template <Scalar S, Preconditioned How>
struct CgResidual {
  static constexpr int sums = How == Preconditioned::by_diagonal ? 2 : 1;
  using accumulator_type = Wide<S>;
  Multivector<S> r;
  Multivector<const S> q;
  Residuals<S, How> residuals;
  CgState* state;
  const Wide<S>* curvature;
  Limits limits;
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
    return state[first + v].running() && is_curved(real_part(curvature[first + v]));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    return {Pack::all(Wide<S>(-state[first + v].rho / real_part(curvature[first + v])))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    Pack d = Pack::zero();
    if constexpr (How == Preconditioned::by_diagonal) d = residuals.read(at, d);
    return {at.load(r), at.load(q), d};
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
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    CgState& mine = state[first + v];
    take_curvature(mine, real_part(curvature[first + v]));
    if (!mine.running()) return;
    advance_cg(mine, limits, first + v, real_part(total[0]));
    if (How != Preconditioned::by_operator) next_direction(mine, real_part(total[sums - 1]));
  }
};

/// r . z of a z that is a vector, and beta from it
template <Scalar S>
struct CgRho : heddle::vectors::passes::SumOfProducts<S> {
  using accumulator_type = Wide<S>;
  CgState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].running(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    next_direction(state[v], real_part(*total));
  }
};

/// x += alpha p, p = z + beta p. x is not scaled, and r and p are.
template <Scalar S, Preconditioned How>
struct CgDirections : PassWithoutSums {
  using accumulator_type = Wide<S>;
  Multivector<S> x, p;
  Multivector<const S> r;
  Residuals<S, How> residuals;
  const CgState* state;

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
    return {Pack::all(Wide<S>(state[v].alpha * state[v].progress.unscale)),
            Pack::all(Wide<S>(state[v].beta))};
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
