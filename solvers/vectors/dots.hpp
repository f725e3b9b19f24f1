// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operands.hpp"

/// Sums over vectors, whose results stay on the device. One number for each vector, in a View of
/// rank 0 (of one vector) or 1. The order of every sum is fixed: the same bits on every run on the
/// same device and number of threads. One launch for up to eight vectors; the last team to end adds
/// up what the others left in the workspace. No allocation, no copy, no fence. Bytes are counted as
/// in updates.hpp.
namespace heddle::vectors {

namespace passes {

namespace common = heddle::detail::vectors;

/// What a pass does that adds up conj(x) . y; `active` and `finish` are its own.
template <Scalar V>
struct SumOfProducts {
  static constexpr int sums = 1;
  Multivector<const V> x, y;

  template <class Pack>
  struct Constants {};
  template <class Pack>
  struct Values {
    Pack x, y;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(x), at.load(y)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries&, const Constants<Pack>&,
                                         const Values<Pack>& of, Pack* sum) const {
    *sum = Pack::multiply_add(Pack::conjugate(of.x), of.y, *sum);  // beyond the last row: zeros
  }
};

/// conj(x) . y
template <Scalar V, Scalar Acc>
struct Dot : SumOfProducts<V>, common::PassOfAll {
  using accumulator_type = Acc;
  common::Results<Acc> result;

  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Acc* total) const { result.of(v) = *total; }
};

/// The sum of squares or its root; with Update, of y after y += alpha x.
template <Scalar V, Scalar Acc, bool Update, bool Root>
struct Norm : common::PassOfAll {
  static constexpr int sums = 1;
  using accumulator_type = Acc;
  using Written = std::conditional_t<Update, V, const V>;
  Multivector<const V> x;
  Multivector<Written> y;
  common::Factor<Acc> alpha;
  common::Results<RealOf<Acc>> result;

  template <class Pack>
  struct Constants {
    Pack alpha;
  };
  template <class Pack>
  struct Values {
    Pack x, y;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    return {Pack::all(alpha.of(v))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    if constexpr (Update) {
      return {at.load(x), at.load(y)};
    } else {
      return {Pack::zero(), at.load(y)};
    }
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    Pack entry = of.y;
    if constexpr (Update) {
      entry = at.keep(Pack::multiply_add(with.alpha, of.x, of.y));
      at.store(y, entry);
    }
    *sum = Pack::multiply_add(Pack::conjugate(entry), entry, *sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Acc* total) const {
    RealOf<Acc> square;
    if constexpr (is_complex<Acc>) {
      square = total->real();
    } else {
      square = *total;
    }
    result.of(v) = Root ? Kokkos::sqrt(square) : square;
  }
};

}  // namespace passes

/// result = conj(x) . y of each pair of vectors. Moves 2 N b bytes, N b if x is y.
///
/// Throws Error if shapes do not fit, or the workspace has no room for a number a vector (of eight
/// at a time).
template <ExecutionSpace Exec, VectorView X, VectorView Y, Scalar Acc, class Result>
void dot(const Exec& exec, const X& x, const Y& y, const VectorWorkspace<Exec, Acc>& workspace,
         const Result& result) {
  namespace common = heddle::detail::vectors;
  using V = common::ScalarOf<X>;
  common::assert_defined<Exec, V, Acc>();
  const auto a = common::to_read(x), b = common::to_read(y);
  common::check_alike("x", a, "y", b);
  const auto to = common::results_of<Acc>(result, a.count);
  common::in_slices(a.count, [&](int first, int count) {
    common::stream(
        exec, "heddle::vectors::dot", a.rows, count,
        common::has_unit_stride(a) && common::has_unit_stride(b),
        passes::Dot<V, Acc>{{a.slice(first, count), b.slice(first, count)}, {}, to.slice(first)},
        workspace.partials(count));
  });
}

namespace passes {

template <bool Update, bool Root, ExecutionSpace Exec, class X, class Y, Scalar Acc, class Result>
void norm(const Exec& exec, const char* label, const X& x, const Y& y,
          const common::Factor<Acc>& alpha, const VectorWorkspace<Exec, Acc>& workspace,
          const Result& result) {
  using V = std::remove_const_t<std::remove_pointer_t<decltype(x.data)>>;
  common::assert_defined<Exec, V, Acc>();
  const auto to = common::results_of<RealOf<Acc>>(result, y.count);
  common::in_slices(y.count, [&](int first, int count) {
    common::stream(
        exec, label, y.rows, count, common::has_unit_stride(x) && common::has_unit_stride(y),
        Norm<V, Acc, Update, Root>{
            {}, x.slice(first, count), y.slice(first, count), alpha.slice(first), to.slice(first)},
        workspace.partials(count));
  });
}

}  // namespace passes

/// result = the Euclidean norm of each vector, a real number. The squares are added up as they are:
/// numbers beyond the root of the largest one give infinity. Moves N b bytes.
template <ExecutionSpace Exec, VectorView X, Scalar Acc, class Result>
void norm(const Exec& exec, const X& x, const VectorWorkspace<Exec, Acc>& workspace,
          const Result& result) {
  const auto y = heddle::detail::vectors::to_read(x);
  passes::norm<false, true>(exec, "heddle::vectors::norm", y, y,
                            heddle::detail::vectors::Factor<Acc>(), workspace, result);
}

/// The square of it.
template <ExecutionSpace Exec, VectorView X, Scalar Acc, class Result>
void norm_squared(const Exec& exec, const X& x, const VectorWorkspace<Exec, Acc>& workspace,
                  const Result& result) {
  const auto y = heddle::detail::vectors::to_read(x);
  passes::norm<false, false>(exec, "heddle::vectors::norm_squared", y, y,
                             heddle::detail::vectors::Factor<Acc>(), workspace, result);
}

/// y = y + alpha x, and the norm of the new y, in one pass: a residual and its norm. Moves 3 N b
/// bytes where two passes move 4 N b. The squares of the sums are added up before these are rounded
/// to y's type.
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
