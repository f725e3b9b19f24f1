// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../gauss_seidel/plan.hpp"
#include "../vectors/operands.hpp"
#include "options.hpp"
#include "spectrum.hpp"

/// Smoothers that are products with the matrix and one pass over vectors after each.
///
/// Polynomials in D^-1 A over its bound, which need no lower bound of the spectrum, as products of
/// their real factors: steps of Richardson's iteration, so that no vector is kept from step to
/// step. They lie between Chebyshev's of the fourth kind with optimal weights, which are the best
/// for a bound of V cycles, and ones that damp the middle of the spectrum more, which took fewer
/// iterations; and none amplifies where the bound is 10 % too low (docs/design/multigrid.md).
///
/// Source of the former: J. Lottes, "Optimal polynomial smoothers for multigrid V-cycles", Numer.
/// Linear Algebra Appl. 30, 2023.
namespace heddle::detail::multigrid {

inline constexpr int most_degree = 4;
/// Reciprocals of the roots, the largest root first: no step amplifies what a later one has to take
/// away.
inline constexpr double smoothing_factors[most_degree][most_degree] = {
    {1.5}, {1.157, 3.579}, {1.054, 1.793, 6.444}, {0.99, 1.39, 2.57, 10}};

/// One step: x += factor D^-1 (b - A x); the factor over the bound of the spectrum, or of l1-Jacobi
/// as it is.
struct SmoothingStep {
  double factor;
  bool over_bound;

  KOKKOS_FORCEINLINE_FUNCTION double of(const SpectrumNumbers& numbers) const {
    return over_bound ? factor / numbers.bound : factor;
  }
};

/// Of step `step` of `degree`, counted from 0.
inline SmoothingStep smoothing_step(MultigridSmoother smoother, int degree, int step) {
  if (smoother == MultigridSmoother::l1_jacobi) return {1, false};
  return {smoothing_factors[degree - 1][step], true};
}

/// One step, of q = A x, which is not read where x is still zero; nor is x then.
template <Scalar S, bool FromZero>
struct SmoothPass : vectors::Pass<S> {
  Multivector<S> x;
  Multivector<const S> b, q, inverse;  ///< inverse: of one vector for all
  SmoothingStep step;
  const SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(x, !FromZero), vectors::loaded(b),
                                vectors::loaded(q, !FromZero), vectors::loaded(inverse));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    const S factor(static_cast<heddle::RealOf<S>>(step.of(*numbers)));
    return [factor = Pack::all(factor), minus_one = Pack::all(S(-1))](
               Pack& x, const Pack& b, const Pack& q, const Pack& inverse) {
      if constexpr (FromZero) {
        x = Pack::multiply(factor, Pack::multiply(inverse, b));
      } else {
        const Pack residual = Pack::multiply_add(minus_one, q, b);
        x = Pack::multiply_add(factor, Pack::multiply(inverse, residual), x);
      }
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

/// Gauss-Seidel by colors of a level: forward before its correction and backward after it, each the
/// other's adjoint, so that a cycle is symmetric where the matrix is.
template <ExecutionSpace Exec, class Matrix>
class ColorSweeps {
 public:
  using S = typename Matrix::scalar_type;

  /// Allocates, and waits.
  ColorSweeps(const Exec& exec, const Matrix& A, const MultigridOptions& options)
      : forward_(exec, A, sweep(SweepDirection::forward, options), never_split),
        backward_(exec, A, sweep(SweepDirection::backward, options), never_split) {}

  /// From zero; and the residual after it, unless that has no data.
  void before(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x,
              const Multivector<S>& residual, int sweeps) const {
    forward_.sweep(exec, {b, x, residual}, residual.data != nullptr, sweeps, true);
  }
  void after(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x,
             int sweeps) const {
    backward_.sweep(exec, {b, x, {}}, false, sweeps, false);
  }
  /// No wait, no allocation.
  void update_values(const Exec& exec, const Matrix& A) {
    forward_.update_values(exec, A);
    backward_.update_values(exec, A);
  }
  std::size_t bytes() const { return forward_.bytes() + backward_.bytes(); }

 private:
  using Plan = GaussSeidelPlanCore<Exec, Matrix>;

  static GaussSeidelOptions sweep(SweepDirection direction, const MultigridOptions& options) {
    GaussSeidelOptions of;
    of.sweep = direction;
    of.order = GaussSeidelOrder::multicolor;
    of.vectors = options.vectors;
    of.expected_applies = options.expected_applies;
    of.check_overlap = false;
    of.check_pattern = false;
    return of;
  }
  /// For a scheme that is not asked for.
  static std::unique_ptr<gauss_seidel::Executor<Exec, Matrix>> never_split(
      const Exec&, const Matrix&, const GaussSeidelOptions&) {
    return nullptr;
  }

  Plan forward_, backward_;
};

}  // namespace heddle::detail::multigrid
