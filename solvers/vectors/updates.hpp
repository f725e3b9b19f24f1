// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operands.hpp"

/// Updates of vectors, and what several updates at once save. All take one vector (Views of rank 1)
/// or several (rank 2) in any layout, and vectors that are one and the same or lie apart. Numbers
/// are the host's, or lie on the device: one for all vectors or one for each. All return once the
/// work is queued on `exec`: no allocation, no copy, no fence. Bytes are those to and from memory
/// of vectors that are too large for the caches, n rows and count vectors together being N entries
/// of b bytes.
namespace heddle::vectors {

namespace passes {

namespace common = heddle::detail::vectors;

/// y = alpha x + beta y
template <Scalar V, Scalar Acc>
struct Axpby : common::PassWithoutSums {
  using accumulator_type = Acc;
  Multivector<const V> x;
  Multivector<V> y;
  common::Factor<Acc> alpha, beta;

  template <class Pack>
  struct Constants {
    Pack alpha, beta;
    bool reads_x, reads_y;
  };
  template <class Pack>
  struct Values {
    Pack x, y;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    const Acc a = alpha.of(v), b = beta.of(v);
    return {Pack::all(a), Pack::all(b), !(a == Acc(0)), !(b == Acc(0))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at,
                                                const Constants<Pack>& with) const {
    return {with.reads_x ? at.load(x) : Pack::zero(), with.reads_y ? at.load(y) : Pack::zero()};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    const Pack old = with.reads_y ? Pack::multiply(with.beta, of.y) : Pack::zero();
    at.store(y, with.reads_x ? Pack::multiply_add(with.alpha, of.x, old) : old);
  }
};

/// x += alpha p, then p = r + beta p
template <Scalar V, Scalar Acc>
struct Advance : common::PassWithoutSums {
  using accumulator_type = Acc;
  Multivector<V> x, p;
  Multivector<const V> r;
  common::Factor<Acc> alpha, beta;

  template <class Pack>
  struct Constants {
    Pack alpha, beta;
  };
  template <class Pack>
  struct Values {
    Pack x, p, r;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    return {Pack::all(alpha.of(v)), Pack::all(beta.of(v))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(x), at.load(p), at.load(r)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    at.store(x, Pack::multiply_add(with.alpha, of.p, of.x));
    at.store(p, Pack::multiply_add(with.beta, of.p, of.r));
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
  common::in_slices(to.count, [&](int first, int count) {
    common::stream(
        exec, "heddle::vectors::axpby", to.rows, count,
        common::has_unit_stride(from) && common::has_unit_stride(to),
        passes::Axpby<V, V>{
            {}, from.slice(first, count), to.slice(first, count), a.slice(first), b.slice(first)});
  });
}

/// y = y + alpha x. As axpby.
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
/// Moves 5 N b bytes where two passes move 6 N b.
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
  common::in_slices(solution.count, [&](int first, int count) {
    common::stream(exec, "heddle::vectors::advance", solution.rows, count,
                   common::has_unit_stride(solution) && common::has_unit_stride(direction) &&
                       common::has_unit_stride(residual),
                   passes::Advance<V, V>{{},
                                         solution.slice(first, count),
                                         direction.slice(first, count),
                                         residual.slice(first, count),
                                         a.slice(first),
                                         b.slice(first)});
  });
}

}  // namespace heddle::vectors
