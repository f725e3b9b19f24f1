// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/stream.hpp"
#include "state.hpp"

/// b - A x, by which every solver is judged and from which every iteration begins.
namespace heddle::detail::krylov {

using vectors::add_dot, vectors::loaded, vectors::operands_of, vectors::stored, vectors::updated;

/// r = b - q with q = A x, and its norm; with First, the norm of b too.
template <Scalar S, class State, bool First>
struct TrueResidual : vectors::Pass<Wide<S>, Squares<S>::sums*(First ? 2 : 1)> {
  using Norm = Squares<S>;
  Multivector<const S> b, q;
  Multivector<S> r;
  State* state;
  Limits limits;
  Due due;
  Method method;
  const Wide<S>* along = nullptr;  ///< of right-hand side v from v * nullspace on: see Projection
  int nullspace = 0;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return First || is_due(state[v], due); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(b), loaded(q), stored(r));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [minus_one = Pack::all(Wide<S>(-1))](const auto& at, Pack* sum, const Pack& b,
                                                const Pack& q, Pack& r) {
      r = at.keep(Pack::multiply_add(minus_one, q, b));
      Norm::add(r, sum);
      if constexpr (First) Norm::add(b, sum + Norm::sums);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    if (!active(v)) return;
    const double residual = Norm::norm(total);
    if constexpr (First) {
      begin(state[v], limits, v, residual, Norm::norm(total + Norm::sums), outside(v), method.cost);
    } else {
      judge(state[v], limits, v, residual, due, method);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION double outside(int v) const {
    double norm = 0;
    for (int i = 0; i < nullspace; ++i) {
      norm = Kokkos::hypot(norm, Kokkos::abs(along[std::int64_t{v} * nullspace + i]));
    }
    return norm;
  }
};

/// r = scale r, of right-hand sides whose iteration goes on from b - A x.
template <Scalar S, class State>
struct ScaleResidual : vectors::Pass<Wide<S>> {
  Multivector<S> r;
  const State* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].unscaled != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const { return operands_of(updated(r)); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [scale = Pack::all(Wide<S>(state[v].scale))](Pack& r) { r = Pack::multiply(scale, r); };
  }
};

/// x = what the solver has, or zero where b is; the guess stays in x where it is what is left.
template <Scalar S, class State>
struct GiveSolution : vectors::Pass<S> {
  Multivector<const S> own, start;  ///< start: of Left::start, which only GMRES has
  Multivector<S> x;
  const State* state;
  bool zero_guess;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int v) const {
    const State& of = state[v];
    const bool stays = of.left == Left::guess && !zero_guess && of.zero == 0;
    return operands_of(loaded(own, of.zero == 0 && of.left == Left::own),
                       loaded(start, of.zero == 0 && of.left == Left::start), stored(x, !stays));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [starts = state[v].left == Left::start](const Pack& own, const Pack& start, Pack& x) {
      x = starts ? start : own;
    };
  }
};

}  // namespace heddle::detail::krylov
