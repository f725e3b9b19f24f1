// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <limits>

namespace heddle {

/// The part of a matrix that a triangular solve reads, as it is stored, before any op.
enum class Triangle { lower, upper };

/// Whether the diagonal is the stored one, or all ones whatever is stored.
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

/// What one look at a matrix says of its triangle.
struct TriangleSums {
  static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

  std::int64_t entries = 0;             ///< in the triangle, off the diagonal
  std::int64_t outside = nowhere;       ///< the first row with an entry outside of the triangle
  std::int64_t bad_diagonal = nowhere;  ///< the first row whose diagonal is bad (is_bad_diagonal)
  std::int64_t long_rows = 0;           ///< that are left to teams (check_triangle)

  KOKKOS_FUNCTION void add(const TriangleSums& other) {
    entries += other.entries;
    outside = other.outside < outside ? other.outside : outside;
    bad_diagonal = other.bad_diagonal < bad_diagonal ? other.bad_diagonal : bad_diagonal;
    long_rows += other.long_rows;
  }
};

}  // namespace detail::triangle
}  // namespace heddle
