// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "error.hpp"
#include "types.hpp"

namespace heddle {

/// One or several vectors as kernels see them: entry i of vector v is
/// data[i * row_stride + v * vector_stride]. Made from a View of rank 1 or 2 in any layout. The row
/// stride has 32 bits, since a kernel multiplies by it at every nonzero.
template <class T>
struct Multivector {
  T* data = nullptr;
  int row_stride = 1;
  std::int64_t vector_stride = 0;
  std::int64_t rows = 0;
  int count = 1;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index row, int vector) const {
    return data[static_cast<std::int64_t>(row) * row_stride + vector * vector_stride];
  }
  /// Vectors first, ..., first + n - 1.
  KOKKOS_FORCEINLINE_FUNCTION Multivector slice(int first, int n) const {
    return {data + first * vector_stride, row_stride, vector_stride, rows, n};
  }
};

/// An empty multivector, for functions that are called without vectors.
template <class T>
inline constexpr Multivector<T> no_vectors{nullptr, 1, 0, 0, 0};

/// The vectors that a plan is optimized for.
struct ExpectedVectors {
  int count = 1;
  /// Whether the vectors are column-major (LayoutLeft), each of them contiguous, rather than
  /// row-major (LayoutRight).
  bool apart = true;

  bool several_apart() const { return count > 1 && apart; }
};

/// Number of passes over a matrix for `vectors` vectors, at most `most` in each pass; at least one.
inline int passes_over_matrix(int vectors, int most) {
  return std::max(1, ceil_div(vectors, most));
}

/// The Multivector of a View. Throws Error if several rows have a stride beyond 32 bits.
template <class T, VectorView View>
Multivector<T> multivector_of(const View& view) {
  Multivector<T> vectors;
  vectors.data = view.data();
  vectors.rows = static_cast<std::int64_t>(view.extent(0));
  if (view.extent(0) > 1) {  // else no stride is used
    if (view.stride(0) > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw Error("the rows of a vector have a stride of " + std::to_string(view.stride(0)),
                  "give a View whose first stride fits in 32 bits");
    }
    vectors.row_stride = static_cast<int>(view.stride(0));
  }
  if constexpr (View::rank() == 2) {
    vectors.count = static_cast<int>(view.extent(1));
    vectors.vector_stride = static_cast<std::int64_t>(view.stride(1));
  }
  return vectors;
}

namespace detail {

/// The first address of the vectors, and one past the last.
template <class T>
std::pair<std::intptr_t, std::intptr_t> addresses(const Multivector<T>& vectors) {
  const auto first = reinterpret_cast<std::intptr_t>(vectors.data);
  if (vectors.rows == 0 || vectors.count == 0) return {first, first};
  const auto entries =
      (vectors.rows - 1) * vectors.row_stride + (vectors.count - 1) * vectors.vector_stride + 1;
  return {first, first + entries * static_cast<std::int64_t>(sizeof(T))};
}

/// Whether two ranges of addresses, neither of them empty, intersect.
inline bool meet(const std::pair<std::intptr_t, std::intptr_t>& a,
                 const std::pair<std::intptr_t, std::intptr_t>& b) {
  return a.first < b.second && b.first < a.second;
}

}  // namespace detail

/// Whether two groups of vectors have an entry in common. The answer is conservative if vectors
/// with different strides share a range of addresses.
///
/// It costs two comparisons if the ranges of the groups are disjoint; else one for each pair of
/// vectors, or, if both vector strides are equal, one for each distance between two vectors.
template <class T, class U>
bool overlap(const Multivector<T>& a, const Multivector<U>& b) {
  if (a.rows == 0 || b.rows == 0 || a.count == 0 || b.count == 0) return false;
  if (!detail::meet(detail::addresses(a), detail::addresses(b))) return false;
  const bool alike = a.vector_stride == b.vector_stride;
  const std::int64_t step = std::gcd(a.row_stride, b.row_stride) * std::int64_t{sizeof(T)};
  for (int v = 0; v < a.count; ++v) {
    for (int w = 0; w < (alike && v > 0 ? 1 : b.count); ++w) {
      const auto one = detail::addresses(a.slice(v, 1)), other = detail::addresses(b.slice(w, 1));
      if (!detail::meet(one, other)) continue;
      if (step == 0 || (one.first - other.first) % step == 0) return true;
    }
  }
  return false;
}

/// Throws Error unless y = op(A) x is defined for a matrix of rows x columns: shapes fit, and x and
/// y have no entry in common.
template <class X, class Y>
void check_vectors(std::int64_t rows, std::int64_t columns, Op op, const Multivector<X>& x,
                   const Multivector<Y>& y) {
  const std::int64_t x_rows = transposes(op) ? rows : columns;
  const std::int64_t y_rows = transposes(op) ? columns : rows;
  const auto demand = [&](const char* vector, std::int64_t is, std::int64_t should) {
    if (is != should) {
      throw Error(std::string(vector) + " has " + std::to_string(is) + " rows, and op(A) (A is " +
                      std::to_string(rows) + " x " + std::to_string(columns) + ", op is " +
                      name(op) + ") needs " + std::to_string(should),
                  "give x as many rows as op(A) has columns, and y as many as it has rows");
    }
  };
  demand("x", x.rows, x_rows);
  demand("y", y.rows, y_rows);
  if (x.count != y.count) {
    throw Error("x holds " + std::to_string(x.count) + " vectors and y " + std::to_string(y.count),
                "give both the same number of vectors");
  }
  if (overlap(x, y)) {
    throw Error("x and y overlap: entries of x would be overwritten before they are read",
                "give y memory of its own, or a copy of x");
  }
}

}  // namespace heddle
