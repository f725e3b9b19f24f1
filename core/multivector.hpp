// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "error.hpp"
#include "types.hpp"

namespace heddle {

/// One or several vectors as kernels see them: entry i of vector v lies at
/// data[i * row_stride + v * vector_stride]. Made from a View of rank 1 or 2 in any layout. The row
/// stride is 32 bits wide: a kernel multiplies by it at every nonzero.
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
  /// Vectors [first, first + n).
  Multivector slice(int first, int n) const {
    return {data + first * vector_stride, row_stride, vector_stride, rows, n};
  }
};

/// The vectors that a plan is made for.
struct ExpectedVectors {
  int count = 1;
  /// Whether they lie apart (LayoutLeft) rather than side by side (LayoutRight).
  bool apart = true;

  bool several_apart() const { return count > 1 && apart; }
};

/// Passes over a matrix that so many vectors take, at most `most` of them in each; one of none.
inline int passes_over_matrix(int vectors, int most) {
  return std::max(1, ceil_div(vectors, most));
}

/// Throws Error if the first stride of a View of several rows does not fit in 32 bits.
template <class T, VectorView View>
Multivector<T> multivector_of(const View& view) {
  Multivector<T> vectors;
  vectors.data = view.data();
  vectors.rows = static_cast<std::int64_t>(view.extent(0));
  if (view.extent(0) > 1) {  // else no stride is used, whatever it is
    if (view.stride(0) > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw Error("the rows of a vector lie " + std::to_string(view.stride(0)) + " entries apart",
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

/// Throws Error unless y = op(A) x makes sense for a matrix of rows x columns.
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
                  "give x one row a column of op(A), and y one row a row of op(A)");
    }
  };
  demand("x", x.rows, x_rows);
  demand("y", y.rows, y_rows);
  if (x.count != y.count) {
    throw Error("x holds " + std::to_string(x.count) + " vectors and y " + std::to_string(y.count),
                "give both the same number of vectors");
  }
}

}  // namespace heddle
