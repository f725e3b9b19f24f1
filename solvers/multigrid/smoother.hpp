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
struct SmoothPass : vectors::Pass<S> {
  Multivector<S> x, d;
  Multivector<const S> b, q, inverse;  ///< inverse: of one vector for all
  SmoothingStep step;
  bool last;  ///< nobody reads d
  const SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION static S number(double of) {
    return S(static_cast<heddle::RealOf<S>>(of));
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(x, !FromZero),
                                vectors::updated(d, step.old != 0, !last), vectors::loaded(b),
                                vectors::loaded(q, !FromZero), vectors::loaded(inverse));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    const double fresh = step.over_bound ? step.fresh / numbers->bound : step.fresh;
    return [old = Pack::all(number(step.old)), fresh = Pack::all(number(fresh)),
            weight = Pack::all(number(step.weight)), minus_one = Pack::all(S(-1))](
               Pack& x, Pack& d, const Pack& b, const Pack& q, const Pack& inverse) {
      Pack residual = b;
      if constexpr (!FromZero) residual = Pack::multiply_add(minus_one, q, b);
      d = Pack::multiply_add(old, d, Pack::multiply(fresh, Pack::multiply(inverse, residual)));
      x = FromZero ? Pack::multiply(weight, d) : Pack::multiply_add(weight, d, x);
    };
  }
};

/// q = b - q
template <Scalar S>
struct ResidualPass : vectors::Pass<S> {
  Multivector<S> q;
  Multivector<const S> b;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(q), vectors::loaded(b));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [minus_one = Pack::all(S(-1))](Pack& q, const Pack& b) {
      q = Pack::multiply_add(minus_one, q, b);
    };
  }
};

}  // namespace heddle::detail::multigrid
