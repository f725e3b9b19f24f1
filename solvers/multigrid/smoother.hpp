// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/operands.hpp"
#include "options.hpp"
#include "spectrum.hpp"

/// Smoothers that are products with the matrix and one pass over vectors after each.
///
/// Source of Chebyshev's polynomials of the fourth kind, which need no lower bound, and of their
/// weights: J. Lottes, "Optimal polynomial smoothers for multigrid V-cycles", Numer. Linear Algebra
/// Appl. 30, 2023.
namespace heddle::detail::multigrid {

inline constexpr int most_degree = 4;
inline constexpr double smoothing_weights[most_degree][most_degree] = {
    {1.12500000000000},
    {1.02387287570313, 1.26408905371085},
    {1.00842544782028, 1.08867839208730, 1.33753125909618},
    {1.00391310427285, 1.04035811188593, 1.14863498546254, 1.38268869241000}};

/// Numbers of one step: d = old d + fresh D^-1 (b - A x), x += weight d; fresh over the bound of
/// the spectrum, or of l1-Jacobi as it is.
struct SmoothingStep {
  double old, fresh, weight;
  bool over_bound;
};

/// Of step `step` of `degree`, counted from 0.
inline SmoothingStep smoothing_step(MultigridSmoother smoother, int degree, int step) {
  if (smoother == MultigridSmoother::l1_jacobi) return {0, 1, 1, false};
  const double i = step + 1;
  return {step == 0 ? 0 : (2 * i - 3) / (2 * i + 1), (8 * i - 4) / (2 * i + 1),
          smoothing_weights[degree - 1][step], true};
}

/// One step, of q = A x, which is not read where x is still zero; nor is x then.
template <Scalar S, bool FromZero>
struct SmoothPass : vectors::PassWithoutSums {
  using accumulator_type = S;
  Multivector<S> x, d;
  Multivector<const S> b, q, inverse;  ///< inverse: of one vector for all
  SmoothingStep step;
  bool last;  ///< nobody reads d
  const SpectrumNumbers* numbers;

  template <class Pack>
  struct Constants {
    Pack old, fresh, weight, minus_one;
  };
  template <class Pack>
  struct Values {
    Pack x, d, b, q, inverse;
  };
  KOKKOS_FORCEINLINE_FUNCTION static S number(double of) {
    return S(static_cast<heddle::RealOf<S>>(of));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    const double fresh = step.over_bound ? step.fresh / numbers->bound : step.fresh;
    return {Pack::all(number(step.old)), Pack::all(number(fresh)), Pack::all(number(step.weight)),
            Pack::all(S(-1))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    Pack x_before = Pack::zero(), q_before = Pack::zero();
    if constexpr (!FromZero) {
      x_before = at.load(x);
      q_before = at.load(q);
    }
    return {x_before, step.old == 0 ? Pack::zero() : at.load(d), at.load(b), q_before,
            at.load(inverse)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    Pack residual = of.b;
    if constexpr (!FromZero) residual = Pack::multiply_add(with.minus_one, of.q, of.b);
    const Pack fresh = Pack::multiply(with.fresh, Pack::multiply(of.inverse, residual));
    const Pack next = Pack::multiply_add(with.old, of.d, fresh);
    if (!last) at.store(d, next);
    at.store(x, FromZero ? Pack::multiply(with.weight, next)
                         : Pack::multiply_add(with.weight, next, of.x));
  }
};

/// q = b - q
template <Scalar S>
struct ResidualPass : vectors::PassWithoutSums {
  using accumulator_type = S;
  Multivector<S> q;
  Multivector<const S> b;

  template <class Pack>
  struct Constants {
    Pack minus_one;
  };
  template <class Pack>
  struct Values {
    Pack q, b;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(S(-1))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(q), at.load(b)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    at.store(q, Pack::multiply_add(with.minus_one, of.q, of.b));
  }
};

}  // namespace heddle::detail::multigrid
