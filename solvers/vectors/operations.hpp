// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "operands.hpp"

/// Updates of vectors, and fused updates. All accept one vector (Views of rank 1) or several (rank
/// 2) in any layout; vectors are identical or do not overlap. Factors are host values or Views of
/// the device, one for all vectors or one for each. All return once the work is queued on `exec`:
/// no allocation, no copy, no fence. Bytes are memory traffic for vectors that are too large for
/// the caches; n rows and count vectors are N entries of b bytes.
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

/// y = y + alpha x. See axpby.
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

/// Sums over vectors. Results stay on the device: one number for each vector, in a View of rank 0
/// (for one vector) or 1. The order of every sum is fixed: the same bits on every run on the same
/// device and number of threads. One launch handles up to eight vectors; the last team to end adds
/// up the partial sums in the workspace. No allocation, no copy, no fence. Bytes are counted as for
/// updates.
namespace heddle::vectors {

namespace passes {

namespace common = heddle::detail::vectors;

/// conj(x) . y; a pass that derives from it adds `finish`.
template <Scalar V, Scalar Acc>
struct SumOfProducts : common::Pass<Acc, 1> {
  Multivector<const V> x, y;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return common::operands_of(common::loaded(x), common::loaded(y));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {  // x and y are zero beyond the last row
    return
        [](const auto&, Pack* sum, const Pack& x, const Pack& y) { common::add_dot(x, y, *sum); };
  }
};

template <Scalar V, Scalar Acc>
struct DotProduct : SumOfProducts<V, Acc> {
  common::Results<Acc> result;

  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Acc* total) const { result.of(v) = *total; }
};

/// The sum of squares of y or, with Root, the norm; with Update, after y += alpha x.
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
                 passes::DotProduct<V, Acc>{{{}, a, b}, to}, &workspace);
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

namespace heddle {

namespace detail::vectors {

/// A small matrix on the device.
template <class T>
struct SmallMatrix {
  T* data = nullptr;
  std::int64_t row_stride = 1, column_stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int i, int j) const {
    return data[i * row_stride + j * column_stride];
  }
};

/// Vectors V for each vector of W: those of the first one, and the distance to those of the next.
template <class T>
struct VectorsOfEach {
  Multivector<T> first;
  std::int64_t step = 0;  ///< 0: all vectors of W share V

  KOKKOS_FORCEINLINE_FUNCTION T* vector(int of, int v) const {
    return first.data + of * step + v * first.vector_stride;
  }
  /// Vectors 0 to count - 1 of each, to be read.
  VectorsOfEach<const T> leading(int count) const {
    return {{first.data, first.row_stride, first.vector_stride, first.rows, count}, step};
  }
};

/// Vectors of W that a kernel computes: those whose number is nonzero, or all. Without one the
/// kernel does nothing, which `any` says in one number.
struct WantedVectors {
  const int* any = nullptr;
  const int* each = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION bool none() const { return any && *any == 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool skips(int j) const { return each && each[j] == 0; }
};

/// A copy of W in another type, to whose precision W is rounded, unless its number of `except` is
/// nonzero.
template <class V>
struct RoundedCopy {
  Multivector<V> to;
  const int* except = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION bool wanted(int j) const {
    return to.data && !(except && except[j] != 0);
  }
};

/// The matrix in a View of rank 2, or of rank 1 if it has one column. Throws Error unless it is
/// rows x columns.
template <class T, class View>
SmallMatrix<T> small_matrix(const char* name, const View& view, int rows, int columns) {
  static_assert(View::rank() == 1 || View::rank() == 2);
  std::size_t held = 1;
  SmallMatrix<T> matrix{view.data(), static_cast<std::int64_t>(view.stride(0)), 0};
  if constexpr (View::rank() == 2) {
    held = view.extent(1);
    matrix.column_stride = static_cast<std::int64_t>(view.stride(1));
  }
  if (view.extent(0) != static_cast<std::size_t>(rows) ||
      held != static_cast<std::size_t>(columns)) {
    throw Error(std::string(name) + " is " + std::to_string(view.extent(0)) + " x " +
                    std::to_string(held) + ", and is to be " + std::to_string(rows) + " x " +
                    std::to_string(columns),
                "give one row for each vector of V, and one column for each of W");
  }
  return matrix;
}

/// `to` = left' right, of matching sizes. Defined in definitions.hpp.
template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_inner_products(const Exec& exec, const Multivector<const V>& left,
                           const Multivector<const V>& right, const SmallMatrix<Acc>& to,
                           const team_sums::Partials<Acc>& partials);

}  // namespace detail::vectors

namespace vectors {

/// G = V' W, the conjugated dots of every vector of V with every vector of W. G is a View of rank 2
/// on the device, with one row for each vector of V and one column for each of W, or of rank 1 if W
/// is one vector; G = V' V is the Gram matrix of V. The order of every sum is fixed.
///
/// V and W have n rows and k and m columns of b bytes. On a CPU this moves (k + m) n b bytes for k
/// and m up to 96. On a GPU V and W are read once for each tile of 4 x 4, from its caches if they
/// fit. The workspace holds k m numbers. Throws Error if shapes do not fit, or the workspace is too
/// small.
template <ExecutionSpace Exec, VectorView V, VectorView W, Scalar Acc, class Result>
void inner_products(const Exec& exec, const V& v, const W& w,
                    const VectorWorkspace<Exec, Acc>& workspace, const Result& result) {
  namespace common = heddle::detail::vectors;
  using S = common::ScalarOf<V>;
  const auto left = common::to_read(v), right = common::to_read(w);
  if (left.rows != right.rows) {
    throw Error("V has " + std::to_string(left.rows) + " rows and W " + std::to_string(right.rows),
                "give vectors of one length");
  }
  common::assert_defined<Exec, S, Acc>();
  const auto to = common::small_matrix<Acc>("G", result, left.count, right.count);
  if (left.count == 0 || right.count == 0) return;
  common::launch_inner_products(exec, left, right, to,
                                workspace.partials(left.count * right.count));
}

}  // namespace vectors

namespace detail::vectors {

/// W = alpha V C + beta W, of matching sizes. Defined in definitions.hpp.
template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_combinations(const Exec& exec, const Multivector<const V>& from,
                         const SmallMatrix<const Acc>& coefficients, const Multivector<V>& to,
                         const Factor<Acc>& alpha, const Factor<Acc>& beta);

}  // namespace detail::vectors

namespace vectors {

/// W = alpha V C + beta W: linear combinations of the vectors of V (n x k) with the coefficients C
/// (k x m), a View of rank 2 on the device, or of rank 1 if W is one vector. beta == 0 overwrites W
/// without reading it, and alpha == 0 reads neither V nor C. Sums have C's type, which may be wider
/// than that of the vectors, and a fixed order. W - V (V' W) is inner_products followed by this
/// with alpha -1 and beta 1.
///
/// Moves (k + 2 m) n b bytes, (k + m) n b if beta is 0, for k and m up to 96 on a CPU; a GPU reads
/// V once for every four columns of W, from its caches if V fits. On a CPU sums of more than eight
/// vectors are rounded to W's type in between. Throws Error if shapes do not fit, or V and W
/// overlap.
template <ExecutionSpace Exec, VectorFactor A, VectorView V, class C, VectorFactor B,
          WritableVectorView W>
void combine(const Exec& exec, const A& alpha, const V& v, const C& coefficients, const B& beta,
             const W& w) {
  namespace common = heddle::detail::vectors;
  using S = common::ScalarOf<W>;
  using Acc = common::ScalarOf<C>;
  const auto from = common::to_read(v);
  const auto to = common::to_write(w);
  if (from.rows != to.rows) {
    throw Error("V has " + std::to_string(from.rows) + " rows and W " + std::to_string(to.rows),
                "give vectors of one length");
  }
  common::check_distinct("V", from, "W", to);
  common::assert_defined<Exec, S, Acc>();
  const auto small = common::small_matrix<const Acc>("C", coefficients, from.count, to.count);
  const auto a = common::factor_of<Acc>("alpha", alpha, 1);
  const auto b = common::factor_of<Acc>("beta", beta, 1);
  if (to.count == 0 || to.rows == 0) return;
  common::launch_combinations(exec, from, small, to, a, b);
}

}  // namespace vectors

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// The instances of operations on vectors that the compiled part (compiled.hpp) holds: launches for
/// a scalar, with sums in the same scalar.
#define HEDDLE_VECTORS_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_VECTORS_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, ...)                                     \
  EXTERN template void heddle::detail::vectors::stream(                               \
      const EXEC&, const char*, std::int64_t, int, bool, const __VA_ARGS__&,          \
      const ::heddle::VectorWorkspace<EXEC, typename __VA_ARGS__::accumulator_type>*, \
      typename __VA_ARGS__::accumulator_type*);
#define HEDDLE_VECTORS_INSTANCES_ON(EXTERN, SCALAR, EXEC)                                          \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Axpby<SCALAR, SCALAR>)             \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Advance<SCALAR, SCALAR>)           \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::DotProduct<SCALAR, SCALAR>)        \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Norm<SCALAR, SCALAR, false, true>) \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC,                                                             \
                         heddle::vectors::passes::Norm<SCALAR, SCALAR, false, false>)              \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Norm<SCALAR, SCALAR, true, true>)  \
  HEDDLE_PRODUCTS_INSTANCE(EXTERN, SCALAR, SCALAR, EXEC)
#define HEDDLE_PRODUCTS_INSTANCE(EXTERN, SCALAR, SUM, EXEC)                              \
  EXTERN template void heddle::detail::vectors::launch_inner_products(                   \
      const EXEC&, const ::heddle::Multivector<const SCALAR>&,                           \
      const ::heddle::Multivector<const SCALAR>&,                                        \
      const heddle::detail::vectors::SmallMatrix<SUM>&,                                  \
      const heddle::detail::team_sums::Partials<SUM>&);                                  \
  EXTERN template void heddle::detail::vectors::launch_combinations(                     \
      const EXEC&, const ::heddle::Multivector<const SCALAR>&,                           \
      const heddle::detail::vectors::SmallMatrix<const SUM>&,                            \
      const ::heddle::Multivector<SCALAR>&, const heddle::detail::vectors::Factor<SUM>&, \
      const heddle::detail::vectors::Factor<SUM>&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_VECTORS_INSTANCES, HEDDLE_EXTERN)
