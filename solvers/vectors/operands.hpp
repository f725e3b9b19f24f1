// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../formats/compiled.hpp"
#include "factor.hpp"
#include "stream.hpp"

namespace heddle {

/// A number for an operation on vectors: one of the host's, or a View of the device that holds one
/// number, or one for each vector.
template <class T>
concept VectorFactor = Scalar<T> || std::is_arithmetic_v<T> ||
                       (Kokkos::is_view_v<T> && (T::rank() == 0 || T::rank() == 1));

namespace detail::vectors {

template <VectorView View>
using ScalarOf = typename View::non_const_value_type;

template <VectorView View>
Multivector<const ScalarOf<View>> to_read(const View& view) {
  return multivector_of<const ScalarOf<View>>(view);
}
template <WritableVectorView View>
Multivector<ScalarOf<View>> to_write(const View& view) {
  return multivector_of<ScalarOf<View>>(view);
}

template <class T>
bool has_unit_stride(const Multivector<T>& v) {
  return v.row_stride == 1;
}

/// Throws Error unless both hold as many vectors of as many rows, and are one and the same or lie
/// apart.
template <class X, class Y>
void check_alike(const char* name_of_x, const Multivector<X>& x, const char* name_of_y,
                 const Multivector<Y>& y) {
  const auto shape = [](const auto& v) {
    return std::to_string(v.rows) + " x " + std::to_string(v.count);
  };
  if (x.rows != y.rows || x.count != y.count) {
    throw Error(
        std::string(name_of_x) + " is " + shape(x) + " and " + name_of_y + " is " + shape(y),
        "give vectors of one length, and as many of each");
  }
  const bool same = static_cast<const void*>(x.data) == static_cast<const void*>(y.data) &&
                    (x.rows < 2 || x.row_stride == y.row_stride) &&
                    (x.count < 2 || x.vector_stride == y.vector_stride) && sizeof(X) == sizeof(Y);
  if (!same && overlap(x, y)) {
    throw Error(std::string(name_of_x) + " and " + name_of_y + " overlap in part",
                "give the same vectors, or vectors that do not overlap");
  }
}

/// Throws Error if vectors that check_alike let pass are one and the same.
template <class X, class Y>
void check_distinct(const char* name_of_x, const Multivector<X>& x, const char* name_of_y,
                    const Multivector<Y>& y) {
  if (overlap(x, y)) {
    throw Error(std::string(name_of_x) + " and " + name_of_y + " are the same vector",
                "give each memory of its own");
  }
}

/// Throws Error unless `place` holds one number for each of `count` vectors.
template <class View>
void check_numbers(const char* name, const View& place, int count, bool one_for_all) {
  if constexpr (View::rank() == 0) {
    if (count > 1 && !one_for_all) {
      throw Error(std::string(name) + " has room for one number, and there are " +
                      std::to_string(count) + " vectors",
                  "give a View of rank 1");
    }
  } else {
    if (place.extent(0) != static_cast<std::size_t>(count)) {
      throw Error(std::string(name) + " holds " + std::to_string(place.extent(0)) +
                      " numbers, and there are " + std::to_string(count) + " vectors",
                  "give one number for each vector");
    }
  }
}

template <Scalar Acc, VectorFactor F>
Factor<Acc> factor_of(const char* name, const F& factor, int count) {
  if constexpr (Kokkos::is_view_v<F>) {
    static_assert(std::same_as<typename F::non_const_value_type, Acc>,
                  "a factor on the device is of the accumulator's type");
    check_numbers(name, factor, count, true);
    std::int64_t stride = 0;
    if constexpr (F::rank() == 1) stride = static_cast<std::int64_t>(factor.stride(0));
    return {factor.data(), stride, Acc(0)};
  } else {
    return {nullptr, 0, Acc(factor)};
  }
}

/// Where results go, one for each vector.
template <class T>
struct Results {
  T* place = nullptr;
  std::int64_t stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION T& of(int vector) const { return place[vector * stride]; }
};

template <class T, class View>
Results<T> results_of(const View& view, int count) {
  static_assert(std::same_as<typename View::value_type, T>,
                "results are of the accumulator's type");
  check_numbers("the result", view, count, false);
  std::int64_t stride = 0;
  if constexpr (View::rank() == 1) stride = static_cast<std::int64_t>(view.stride(0));
  return {view.data(), stride};
}

/// What is_defined is asked of passes over vectors of V.
template <Scalar V>
struct StreamKernels;

/// That passes over vectors of V, with sums in Acc, are compiled, here or elsewhere.
template <ExecutionSpace Exec, Scalar V, Scalar Acc>
constexpr void assert_defined() {
  using Space = typename Exec::memory_space;
  HEDDLE_ASSERT_DEFINED(is_defined<StreamKernels<V>> ||
                        is_compiled<Exec, CsrMatrix<V, int, int, Space>, Acc>());
}

/// body(first, count) for all vectors, as many at a time as a launch takes.
template <class Body>
void in_slices(int vectors, const Body& body) {
  for (int first = 0; first < vectors; first += vectors_at_once) {
    body(first, std::min(vectors - first, vectors_at_once));
  }
}

}  // namespace detail::vectors

}  // namespace heddle
