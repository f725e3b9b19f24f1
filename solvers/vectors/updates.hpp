// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operands.hpp"

/// Updates of vectors, and fused updates. All take one vector (Views of rank 1) or several (rank 2)
/// in any layout; vectors are identical or do not overlap. Factors are host values or lie on the
/// device, one for all vectors or one for each. All return once the work is queued on `exec`: no
/// allocation, no copy, no fence. Bytes are memory traffic for vectors that are too large for the
/// caches; n rows and count vectors are N entries of b bytes.
namespace heddle::vectors {

namespace passes {

namespace common = heddle::detail::vectors;

/// y = alpha x + beta y
template <Scalar V, Scalar Acc>
struct Axpby : common::Pass<Acc> {
  Multivector<const V> x;
  Multivector<V> y;
  common::Factor<Acc> alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int v) const {
    return common::operands_of(common::loaded(x, !(alpha.of(v) == Acc(0))),
                               common::updated(y, !(beta.of(v) == Acc(0))));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    const Acc a = alpha.of(v), b = beta.of(v);
    return [with_x = !(a == Acc(0)), with_y = !(b == Acc(0)), alpha = Pack::all(a),
            beta = Pack::all(b)](const Pack& x, Pack& y) {
      const Pack old = with_y ? Pack::multiply(beta, y) : Pack::zero();
      y = with_x ? Pack::multiply_add(alpha, x, old) : old;
    };
  }
};

/// x += alpha p, then p = r + beta p
template <Scalar V, Scalar Acc>
struct Advance : common::Pass<Acc> {
  Multivector<V> x, p;
  Multivector<const V> r;
  common::Factor<Acc> alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return common::operands_of(common::updated(x), common::updated(p), common::loaded(r));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [alpha = Pack::all(alpha.of(v)), beta = Pack::all(beta.of(v))](Pack& x, Pack& p,
                                                                          const Pack& r) {
      x = Pack::multiply_add(alpha, p, x);
      p = Pack::multiply_add(beta, p, r);
    };
  }
};

}  // namespace passes

/// y = alpha x + beta y. beta == 0 overwrites y without reading it, NaN included; alpha == 0 does
/// not read x. Moves 3 N b bytes, 2 N b if beta is 0.
///
/// Throws Error if shapes do not fit, or x and y overlap in part.
template <ExecutionSpace Exec, VectorFactor A, VectorView X, VectorFactor B, WritableVectorView Y>
void axpby(const Exec& exec, const A& alpha, const X& x, const B& beta, const Y& y) {
  namespace common = heddle::detail::vectors;
  using V = common::ScalarOf<Y>;
  common::assert_defined<Exec, V, V>();
  const auto from = common::to_read(x);
  const auto to = common::to_write(y);
  common::check_alike("x", from, "y", to);
  const auto a = common::factor_of<V>("alpha", alpha, to.count);
  const auto b = common::factor_of<V>("beta", beta, to.count);
  common::stream(exec, "heddle::vectors::axpby", to.rows, to.count,
                 common::has_unit_stride(from) && common::has_unit_stride(to),
                 passes::Axpby<V, V>{{}, from, to, a, b});
}

/// y = y + alpha x, as axpby.
template <ExecutionSpace Exec, VectorFactor A, VectorView X, WritableVectorView Y>
void axpy(const Exec& exec, const A& alpha, const X& x, const Y& y) {
  axpby(exec, alpha, x, 1, y);
}

/// y = x. Moves 2 N b bytes.
template <ExecutionSpace Exec, VectorView X, WritableVectorView Y>
void copy(const Exec& exec, const X& x, const Y& y) {
  axpby(exec, 1, x, 0, y);
}

/// y = beta y; beta == 0 sets y to zero without reading it. Moves 2 N b bytes, or N b.
template <ExecutionSpace Exec, VectorFactor B, WritableVectorView Y>
void scale(const Exec& exec, const B& beta, const Y& y) {
  axpby(exec, 0, y, beta, y);
}

/// x = x + alpha p, then p = r + beta p, in one pass: the end of a step of conjugate gradients.
/// Moves 5 N b bytes; two passes move 6 N b.
///
/// Throws Error if shapes do not fit, or two of x, p and r overlap.
template <ExecutionSpace Exec, VectorFactor A, WritableVectorView X, VectorFactor B, VectorView R,
          WritableVectorView P>
void advance(const Exec& exec, const A& alpha, const X& x, const B& beta, const R& r, const P& p) {
  namespace common = heddle::detail::vectors;
  using V = common::ScalarOf<X>;
  common::assert_defined<Exec, V, V>();
  const auto solution = common::to_write(x), direction = common::to_write(p);
  const auto residual = common::to_read(r);
  common::check_alike("x", solution, "p", direction);
  common::check_alike("r", residual, "p", direction);
  common::check_alike("r", residual, "x", solution);
  common::check_distinct("x", solution, "p", direction);
  common::check_distinct("r", residual, "x", solution);
  const auto a = common::factor_of<V>("alpha", alpha, solution.count);
  const auto b = common::factor_of<V>("beta", beta, solution.count);
  common::stream(exec, "heddle::vectors::advance", solution.rows, solution.count,
                 common::has_unit_stride(solution) && common::has_unit_stride(direction) &&
                     common::has_unit_stride(residual),
                 passes::Advance<V, V>{{}, solution, direction, residual, a, b});
}

}  // namespace heddle::vectors
