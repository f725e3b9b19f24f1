// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "minres.hpp"
#include "solver_definitions.hpp"

/// Defines what minres.hpp declares: the passes of MINRES. Numbers of a step stay on the device:
/// the last team of a pass that adds up computes them.
namespace heddle::detail::krylov {

/// Begins the Lanczos vectors with u = r, from r . M r.
KOKKOS_FORCEINLINE_FUNCTION void begin_minres(MinresState& state, double product) {
  if (!Kokkos::isfinite(product)) {
    state.outcome = Outcome::not_a_number;
  } else if (!(product > 0)) {
    state.outcome = Outcome::indefinite;
  } else {
    state.m_scale = PowerOfTwo::below(product).reciprocal;
    state.beta = state.phi_bar = Kokkos::sqrt(state.m_scale * product);
    state.last_beta = state.cosine = 1;
    state.sine = state.delta_bar = state.epsilon = state.largest = 0;
    state.inverse_gamma = state.last_inverse_gamma = 0;
    state.fresh = 1;
  }
}

/// Column k of T above its diagonal, from alpha; `size` is the norm of A v times beta.
KOKKOS_FORCEINLINE_FUNCTION void begin_column(MinresState& state, double product, double size) {
  if (state.fresh) state.a_scale = PowerOfTwo::below(size).reciprocal;
  state.alpha = state.a_scale * product / (state.beta * state.beta);
  if (!Kokkos::isfinite(state.alpha) || !Kokkos::isfinite(size)) {
    state.outcome = Outcome::not_a_number;
    return;
  }
  const double delta = state.cosine * state.delta_bar + state.sine * state.alpha;
  state.gamma_bar = state.cosine * state.alpha - state.sine * state.delta_bar;
  state.w_part = -delta * state.inverse_gamma;
  state.w_before_part = -state.epsilon * state.last_inverse_gamma;
  state.moves = 1;
}

/// Whether what is left of r is orthogonal to the range of A, as far as rounding lets it become:
/// |A M r| is `root` times |r|. Beyond sqrt(epsilon) the norm of r stays the same, and x grows
/// along the nullspace. r of a nearly singular A that is still on its way falls in these steps.
KOKKOS_FORCEINLINE_FUNCTION bool is_outside_range(const MinresState& state, double root,
                                                  double cosine, double epsilon) {
  const double half = Kokkos::sqrt(epsilon), small = 2 * half, exact = half * Kokkos::sqrt(half);
  const double most = Kokkos::sqrt(small);
  return root <= exact * state.largest ||
         (root <= small * state.largest && Kokkos::abs(state.cosine) <= most &&
          Kokkos::abs(cosine) <= most);
}

/// Whether A M r of the guess was a rounding error, next to column 2 of T. The first step has then
/// gone far along the nullspace, and the guess is the least-squares solution.
KOKKOS_FORCEINLINE_FUNCTION bool began_outside_range(const MinresState& state, double epsilon) {
  const bool second = !state.fresh && state.last_inverse_gamma == 0 && state.restarts == 0;
  return second && 1 <= 10 * epsilon * state.largest * state.inverse_gamma;
}

/// Completes column k of T by `product` = u . M u of the next u, and computes its Givens rotation.
KOKKOS_FORCEINLINE_FUNCTION void end_column(MinresState& state, double product, double epsilon) {
  const double square = state.m_scale * product;
  if (!Kokkos::isfinite(square)) {
    state.outcome = Outcome::not_a_number;
    state.moves = 0;
    return;
  }
  const double next = square > 0 ? Kokkos::sqrt(square) : 0;
  const double above = state.fresh ? 0 : state.beta;
  const double column = Kokkos::hypot(Kokkos::hypot(above, state.alpha), next);
  if (column > state.largest) state.largest = column;
  const double rounding = 10 * epsilon * state.largest;
  const double gamma = Kokkos::hypot(state.gamma_bar, next);
  const double cosine = gamma > 0 ? state.gamma_bar / gamma : 0;
  const double root = Kokkos::hypot(state.gamma_bar, state.cosine * next);
  if (square < -rounding * rounding) {
    state.outcome = Outcome::indefinite;
    state.moves = 0;
  } else if (began_outside_range(state, epsilon)) {
    state.outcome = Outcome::inconsistent;
    state.left = Left::guess;
    state.moves = 0;
  } else if (is_outside_range(state, root, cosine, epsilon)) {
    state.outcome = Outcome::inconsistent;
    state.moves = 0;
  } else {
    const double sine = next / gamma;
    state.step = cosine * state.phi_bar / gamma;
    state.phi_bar *= -sine;
    state.r_part = sine * sine;
    state.u_part = next > 0 ? state.phi_bar * cosine / next : 0;
    state.epsilon = state.sine * next;
    state.delta_bar = state.cosine * next;
    state.cosine = cosine;
    state.sine = sine;
    state.last_inverse_gamma = state.inverse_gamma;
    state.inverse_gamma = 1 / gamma;
    state.last_beta = state.beta;
    state.beta = next;
    state.fresh = 0;
  }
}

/// r = scale q and u = r, with q = b - A x
template <Scalar S>
struct MinresBasis : vectors::Pass<Wide<S>> {
  Multivector<const S> q;
  Multivector<S> r, u;
  const MinresState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return state[v].unscaled != 0 && state[v].anew != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(q), stored(r), stored(u));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [scale = Pack::all(Wide<S>(state[v].scale))](const Pack& q, Pack& r, Pack& u) {
      r = u = Pack::multiply(scale, q);
    };
  }
};

/// u . z with z = M u
template <Scalar S>
struct MinresBegin : heddle::vectors::passes::SumOfProducts<S, Wide<S>> {
  MinresState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].unscaled != 0; }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    state[v].moves = 0;
    if (!active(v)) return;
    state[v].unscaled = 0;
    if (state[v].anew) begin_minres(state[v], real_part(*total));
  }
};

/// z . q and the norm of q = A z, both of vectors times m_scale
template <Scalar S>
struct MinresAlpha : vectors::Pass<Wide<S>, 1 + WideSquares<S>::sums> {
  using Norm = WideSquares<S>;
  Multivector<const S> z, q;
  MinresState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const { return operands_of(loaded(z), loaded(q)); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [scale = Pack::all(Wide<S>(state[v].m_scale))](const auto&, Pack* sum, const Pack& z,
                                                          const Pack& q) {
      const Pack scaled = Pack::multiply(scale, q);
      add_dot(Pack::multiply(scale, z), scaled, sum[0]);
      Norm::add(scaled, sum + 1);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    state[v].moves = 0;
    if (active(v)) begin_column(state[v], real_part(total[0]), Norm::norm(total + 1));
  }
};

/// The next u = A v - alpha u / beta - beta u_before / last_beta, and w = v + w_part w +
/// w_before_part w_before, with v = m_scale z / beta. What was u becomes u_before, and w likewise.
template <Scalar S>
struct MinresLanczos : vectors::Pass<Wide<S>> {
  Multivector<const S> z, q;
  Multivector<S> u, u_before, w, w_before;
  const MinresState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return state[v].running() && state[v].moves;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int v) const {
    const bool begun = state[v].fresh == 0;
    return operands_of(loaded(z), loaded(q), updated(u), updated(u_before, begun),
                       updated(w, begun), updated(w_before, begun));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    const MinresState& of = state[v];
    const auto all = [](double value) { return Pack::all(Wide<S>(value)); };
    const double of_z = of.m_scale / of.beta;
    return [of_z = all(of_z), of_q = all(of.a_scale * of_z), of_u = all(-of.alpha / of.beta),
            of_u_before = all(-of.beta / of.last_beta), of_w = all(of.w_part),
            of_w_before = all(of.w_before_part)](const Pack& z, const Pack& q, Pack& u,
                                                 Pack& u_before, Pack& w, Pack& w_before) {
      const Pack next = Pack::multiply_add(of_u_before, u_before,
                                           Pack::multiply_add(of_u, u, Pack::multiply(of_q, q)));
      u_before = u;
      u = next;
      const Pack direction = Pack::multiply_add(
          of_w_before, w_before, Pack::multiply_add(of_w, w, Pack::multiply(of_z, z)));
      w_before = w;
      w = direction;
    };
  }
};

/// u . z with z = M u, and the rotation of this step
template <Scalar S>
struct MinresRotation : heddle::vectors::passes::SumOfProducts<S, Wide<S>> {
  MinresState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return state[v].running() && state[v].moves;
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    constexpr double epsilon = Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
    if (active(v)) end_column(state[v], real_part(*total), epsilon);
  }
};

/// x += step w, r = r_part r + u_part u, and the norm of r. x is not scaled, and r is.
template <Scalar S>
struct MinresUpdate : vectors::Pass<Wide<S>, 1> {
  Multivector<S> x, r;
  Multivector<const S> w, u;
  MinresState* state;
  Limits limits;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].moves != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int v) const {
    return operands_of(updated(x), updated(r), loaded(w), loaded(u, state[v].u_part != 0));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    const MinresState& of = state[v];
    const auto all = [](double value) { return Pack::all(Wide<S>(value)); };
    return [step = all(of.step * of.a_scale * of.unscale), r_part = all(of.r_part),
            u_part = all(of.u_part)](const auto& at, Pack* sum, Pack& x, Pack& r, const Pack& w,
                                     const Pack& u) {
      x = Pack::multiply_add(step, w, x);
      r = at.keep(Pack::multiply_add(u_part, u, Pack::multiply(r_part, r)));
      add_dot(r, r, *sum);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    if (!active(v)) return;
    state[v].moves = 0;
    advance(state[v], limits, v, Kokkos::sqrt(real_part(*total)), 1, Method().cost);
  }
};

}  // namespace heddle::detail::krylov

namespace heddle {

template <ExecutionSpace Exec, Scalar S>
MinresSolver<Exec, S>::MinresSolver(const Exec& exec, std::int64_t rows,
                                    const KrylovOptions& options)
    : Base(exec, rows, options) {
  this->allocate(exec, {&u_, &u_before_, &w_, &w_before_, &z_});
}

template <ExecutionSpace Exec, Scalar S>
void MinresSolver<Exec, S>::begin_basis(const Exec& exec) {
  pass(exec, "heddle::minres::basis",
       detail::krylov::MinresBasis<S>{{}, read(q_), write(r_), write(u_), states()});
}

template <ExecutionSpace Exec, Scalar S>
void MinresSolver<Exec, S>::begin_numbers(const Exec& exec, const Vectors& z) {
  pass(exec, "heddle::minres::begin",
       detail::krylov::MinresBegin<S>{{{}, read(u_), read(z)}, states()});
}

template <ExecutionSpace Exec, Scalar S>
void MinresSolver<Exec, S>::lanczos(const Exec& exec, const Vectors& z) {
  pass(exec, "heddle::minres::alpha",
       detail::krylov::MinresAlpha<S>{{}, read(z), read(q_), states()});
  pass(exec, "heddle::minres::lanczos",
       detail::krylov::MinresLanczos<S>{{},
                                        read(z),
                                        read(q_),
                                        write(u_),
                                        write(u_before_),
                                        write(w_),
                                        write(w_before_),
                                        states()});
}

template <ExecutionSpace Exec, Scalar S>
void MinresSolver<Exec, S>::update(const Exec& exec, const Vectors& z) {
  pass(exec, "heddle::minres::rotation",
       detail::krylov::MinresRotation<S>{{{}, read(u_), read(z)}, states()});
  pass(exec, "heddle::minres::update",
       detail::krylov::MinresUpdate<S>{
           {}, write(x_), write(r_), read(w_), read(u_), states(), limits()});
}

}  // namespace heddle
