// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace heddle {

/// Which part of a matrix a triangular solve reads, as it is stored: before any op.
enum class Triangle { lower, upper };

/// Whether the diagonal is stored, or is one whatever is stored there.
enum class Diagonal { stored, unit };

namespace detail::triangle {

/// The triangle of the transpose.
constexpr Triangle flipped(Triangle triangle) {
  return triangle == Triangle::lower ? Triangle::upper : Triangle::lower;
}

/// Whether column j of row i lies in the triangle, off the diagonal.
template <class O>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool in_triangle(Triangle triangle, O i, O j) {
  return triangle == Triangle::lower ? j < i : j > i;
}

}  // namespace detail::triangle
}  // namespace heddle
