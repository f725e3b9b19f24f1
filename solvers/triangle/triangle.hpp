// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <limits>

#include "../../core/types.hpp"
#include "../../core/words.hpp"

namespace heddle {

/// The part of a matrix that a triangular solve reads, as it is stored, before any op.
enum class Triangle { lower, upper };
template <>
inline constexpr detail::Word<Triangle> detail::words<Triangle>[] = {{Triangle::lower, "lower"},
                                                                     {Triangle::upper, "upper"}};

/// Whether the diagonal is the stored one, or all ones whatever is stored.
enum class Diagonal { stored, unit };
template <>
inline constexpr detail::Word<Diagonal> detail::words<Diagonal>[] = {{Diagonal::stored, "stored"},
                                                                     {Diagonal::unit, "unit"}};

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

/// The result of a check of a triangle (check_triangle).
struct TriangleSums {
  static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

  std::int64_t entries = 0;             ///< in the triangle, off the diagonal
  std::int64_t outside = nowhere;       ///< the first row with an entry outside of the triangle
  std::int64_t bad_diagonal = nowhere;  ///< the first row whose diagonal is bad (is_bad_diagonal)
  std::int64_t long_rows = 0;           ///< number of rows left to teams

  KOKKOS_FUNCTION void add(const TriangleSums& other) {
    entries += other.entries;
    outside = other.outside < outside ? other.outside : outside;
    bad_diagonal = other.bad_diagonal < bad_diagonal ? other.bad_diagonal : bad_diagonal;
    long_rows += other.long_rows;
  }
};

}  // namespace detail::triangle
}  // namespace heddle

namespace heddle::detail::triangle {

/// The type of the diagonal of a matrix of S, and of its reciprocal, for solves with vectors of V:
/// S, or as wide as V if that is wider, since a reciprocal rounded to S would limit every solution
/// to S's precision.
template <Scalar S, Scalar V>
using DiagonalOf = std::conditional_t<
    (sizeof(heddle::RealOf<V>) > sizeof(heddle::RealOf<S>)),
    std::conditional_t<is_complex<S>, Kokkos::complex<heddle::RealOf<V>>, heddle::RealOf<V>>, S>;

/// Whether a value is neither infinite nor NaN, by its bits, which no option of a compiler assumes.
template <Scalar T>
KOKKOS_FORCEINLINE_FUNCTION bool is_finite(const T& value) {
  if constexpr (is_complex<T>) {
    return is_finite(value.real()) && is_finite(value.imag());
  } else if constexpr (sizeof(T) == 4) {
    return (Kokkos::bit_cast<std::uint32_t>(value) & 0x7f800000u) != 0x7f800000u;
  } else {
    constexpr std::uint64_t exponent = 0x7ff0000000000000u;
    return (Kokkos::bit_cast<std::uint64_t>(value) & exponent) != exponent;
  }
}

/// Whether a diagonal prevents a solve: it is zero, also if missing, infinite or NaN.
template <Scalar T>
KOKKOS_FORCEINLINE_FUNCTION bool is_bad_diagonal(const T& value) {
  return value == T(0) || !is_finite(value);
}

/// 1 / value; zero if that overflows, or loses digits below the smallest normal number.
template <Scalar T>
KOKKOS_FORCEINLINE_FUNCTION T reciprocal_or_zero(const T& value) {
  const T reciprocal = T(1) / value;
  const auto size = Kokkos::abs(reciprocal);
  using Real = heddle::RealOf<T>;
  const bool normal = size >= Kokkos::Experimental::norm_min_v<Real> &&
                      size <= Kokkos::Experimental::finite_max_v<Real>;
  return normal ? reciprocal : T(0);
}

}  // namespace heddle::detail::triangle
