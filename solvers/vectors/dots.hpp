// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operands.hpp"
#include "squares.hpp"

/// Sums over vectors. Results stay on the device: one number for each vector, in a View of rank 0
/// (for one vector) or 1. The order of every sum is fixed: the same bits on every run on the same
/// device and number of threads. One launch handles up to eight vectors; the last team to end adds
/// up the partial sums in the workspace. No allocation, no copy, no fence. Bytes are counted as in
/// updates.hpp.
namespace heddle::vectors {

namespace passes {

namespace common = heddle::detail::vectors;

/// conj(x) . y; `finish` is its own.
template <Scalar V, Scalar Acc>
struct SumOfProducts : common::Pass<Acc, 1> {
  Multivector<const V> x, y;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return common::operands_of(common::loaded(x), common::loaded(y));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {  // beyond the last row: zeros
    return
        [](const auto&, Pack* sum, const Pack& x, const Pack& y) { common::add_dot(x, y, *sum); };
  }
};

template <Scalar V, Scalar Acc>
struct Dot : SumOfProducts<V, Acc> {
  common::Results<Acc> result;

  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Acc* total) const { result.of(v) = *total; }
};

/// The sum of squares or, scaled, its root; with Update, of y after y += alpha x.
template <Scalar V, Scalar Acc, bool Update, bool Root>
struct Norm : common::Pass<Acc, Root ? common::Squares<V, Acc>::sums : 1> {
  using Written = std::conditional_t<Update, V, const V>;
  Multivector<const V> x;
  Multivector<Written> y;
  common::Factor<Acc> alpha;
  common::Results<RealOf<Acc>> result;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return common::operands_of(common::loaded(x, Update), common::updated(y));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [alpha = Pack::all(alpha.of(v))](const auto& at, Pack* sum, const Pack& x, Pack& y) {
      if constexpr (Update) y = at.keep(Pack::multiply_add(alpha, x, y));
      if constexpr (Root) {
        common::Squares<V, Acc>::add(y, sum);
      } else {
        common::add_dot(y, y, *sum);
      }
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Acc* total) const {
    if constexpr (Root) {
      result.of(v) = common::Squares<V, Acc>::norm(total);
    } else {
      result.of(v) = heddle::detail::real_part(*total);
    }
  }
};

}  // namespace passes

/// result = conj(x) . y for each pair of vectors. Moves 2 N b bytes, N b if x is y.
///
/// Throws Error if shapes do not fit, or the workspace has no room for one number for each vector
/// (up to eight at a time).
template <ExecutionSpace Exec, VectorView X, VectorView Y, Scalar Acc, class Result>
void dot(const Exec& exec, const X& x, const Y& y, const VectorWorkspace<Exec, Acc>& workspace,
         const Result& result) {
  namespace common = heddle::detail::vectors;
  using V = common::ScalarOf<X>;
  common::assert_defined<Exec, V, Acc>();
  const auto a = common::to_read(x), b = common::to_read(y);
  common::check_alike("x", a, "y", b);
  const auto to = common::results_of<Acc>(result, a.count);
  common::stream(exec, "heddle::vectors::dot", a.rows, a.count,
                 common::has_unit_stride(a) && common::has_unit_stride(b),
                 passes::Dot<V, Acc>{{{}, a, b}, to}, &workspace);
}

namespace passes {

template <bool Update, bool Root, ExecutionSpace Exec, class X, class Y, Scalar Acc, class Result>
void norm(const Exec& exec, const char* label, const X& x, const Y& y,
          const common::Factor<Acc>& alpha, const VectorWorkspace<Exec, Acc>& workspace,
          const Result& result) {
  using V = std::remove_const_t<std::remove_pointer_t<decltype(x.data)>>;
  common::assert_defined<Exec, V, Acc>();
  const auto to = common::results_of<RealOf<Acc>>(result, y.count);
  common::stream(exec, label, y.rows, y.count,
                 common::has_unit_stride(x) && common::has_unit_stride(y),
                 passes::Norm<V, Acc, Update, Root>{{}, x, y, alpha, to}, &workspace);
}

}  // namespace passes

/// result = the Euclidean norm of each vector, a real number. Squares are also added up scaled down
/// and scaled up, so that none overflows or vanishes: a norm that the accumulator can hold is
/// right. Moves N b bytes.
template <ExecutionSpace Exec, VectorView X, Scalar Acc, class Result>
void norm(const Exec& exec, const X& x, const VectorWorkspace<Exec, Acc>& workspace,
          const Result& result) {
  const auto y = heddle::detail::vectors::to_read(x);
  passes::norm<false, true>(exec, "heddle::vectors::norm", y, y,
                            heddle::detail::vectors::Factor<Acc>(), workspace, result);
}

/// The square of the norm, without scaling: infinity if it overflows.
template <ExecutionSpace Exec, VectorView X, Scalar Acc, class Result>
void norm_squared(const Exec& exec, const X& x, const VectorWorkspace<Exec, Acc>& workspace,
                  const Result& result) {
  const auto y = heddle::detail::vectors::to_read(x);
  passes::norm<false, false>(exec, "heddle::vectors::norm_squared", y, y,
                             heddle::detail::vectors::Factor<Acc>(), workspace, result);
}

/// y = y + alpha x, and the norm of the new y, in one pass: a residual and its norm. Moves 3 N b
/// bytes; two passes move 4 N b. Squares are computed before the entries are rounded to y's type,
/// and scaled as in `norm`.
template <ExecutionSpace Exec, VectorFactor A, VectorView X, WritableVectorView Y, Scalar Acc,
          class Result>
void axpy_norm(const Exec& exec, const A& alpha, const X& x, const Y& y,
               const VectorWorkspace<Exec, Acc>& workspace, const Result& result) {
  namespace common = heddle::detail::vectors;
  const auto from = common::to_read(x);
  const auto to = common::to_write(y);
  common::check_alike("x", from, "y", to);
  passes::norm<true, true>(exec, "heddle::vectors::axpy_norm", from, to,
                           common::factor_of<Acc>("alpha", alpha, to.count), workspace, result);
}

}  // namespace heddle::vectors
