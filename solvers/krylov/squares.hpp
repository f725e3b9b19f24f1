// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "../vectors/squares.hpp"

namespace heddle::detail::krylov {

/// What dots and norms of S are added up in: double, or complex of it.
template <Scalar S>
using Wide = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;

/// A sum of squares that is right over the whole range of S.
template <Scalar S>
using Squares = vectors::Squares<S, Wide<S>>;

/// The power of two next below a positive number, within 2^-1000 and 2^1000, and its reciprocal.
struct PowerOfTwo {
  double value, reciprocal;

  KOKKOS_FORCEINLINE_FUNCTION static PowerOfTwo below(double number) {
    constexpr std::uint64_t bias = 1023, farthest = 1000;
    const std::uint64_t exponent = (Kokkos::bit_cast<std::uint64_t>(number) >> 52) & 0x7ff;
    const std::uint64_t within = exponent < bias - farthest   ? bias - farthest
                                 : exponent > bias + farthest ? bias + farthest
                                                              : exponent;
    return {Kokkos::bit_cast<double>(within << 52),
            Kokkos::bit_cast<double>((2 * bias - within) << 52)};
  }
};

}  // namespace heddle::detail::krylov
