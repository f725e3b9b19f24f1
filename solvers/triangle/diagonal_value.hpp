// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail::triangle {

/// What the diagonal of a matrix of S and its reciprocal are kept in where vectors of V are solved
/// for: S; but as wide as V where that is wider, since a reciprocal that is rounded to S would
/// leave every solution S's precision.
template <Scalar S, Scalar V>
using DiagonalOf = std::conditional_t<
    (sizeof(heddle::RealOf<V>) > sizeof(heddle::RealOf<S>)),
    std::conditional_t<is_complex<S>, Kokkos::complex<heddle::RealOf<V>>, heddle::RealOf<V>>, S>;

/// Neither infinite nor a NaN; by its bits, which no option of a compiler takes for granted.
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

/// Whether no row can be solved with a diagonal: it is missing or zero, infinite or a NaN.
template <Scalar T>
KOKKOS_FORCEINLINE_FUNCTION bool is_bad_diagonal(const T& value) {
  return value == T(0) || !is_finite(value);
}

/// Zero where the reciprocal overflows, or loses digits below the smallest normal number.
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
