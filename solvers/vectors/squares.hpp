// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../core/real_part.hpp"

/// Norms that neither overflow nor underflow.
namespace heddle::detail::vectors {

/// A sum of squares in Acc that is right over the whole range of V: squares of float fit into
/// double; those in V's own precision are added up as they are, scaled down and scaled up, and the
/// sum that lost nothing counts. All powers of two, so that the sums have the bits of an unscaled
/// one. Source: J. Blue (1978), without its branches.
template <Scalar V, Scalar Acc>
struct Squares {
  using Real = heddle::RealOf<Acc>;
  static constexpr bool scaled = std::is_same_v<heddle::RealOf<V>, Real>;
  static constexpr int sums = scaled ? 3 : 1;
  static constexpr bool wide = std::is_same_v<Real, double>;
  static constexpr Real down = static_cast<Real>(wide ? 0x1p-530 : 0x1p-90),
                        up = static_cast<Real>(wide ? 0x1p530 : 0x1p90);
  /// below, the plain sum may have lost squares
  static constexpr Real least = static_cast<Real>(wide ? 0x1p-800 : 0x1p-60);

  /// sum[0 .. sums) += the squares of `value`
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Pack& value, Pack* sum) {
    sum[0] = Pack::multiply_add(Pack::conjugate(value), value, sum[0]);
    if constexpr (scaled) {
      const Pack small = Pack::multiply(Pack::all(Acc(down)), value);
      const Pack large = Pack::multiply(Pack::all(Acc(up)), value);
      sum[1] = Pack::multiply_add(Pack::conjugate(small), small, sum[1]);
      sum[2] = Pack::multiply_add(Pack::conjugate(large), large, sum[2]);
    }
  }
  /// The same of one number.
  KOKKOS_FORCEINLINE_FUNCTION static void add_one(const Acc& value, Acc* sum) {
    sum[0] += conjugate(value) * value;
    if constexpr (scaled) {
      const Acc small = value * down, large = value * up;
      sum[1] += conjugate(small) * small;
      sum[2] += conjugate(large) * large;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real norm(const Acc* total) {
    const Real plain = real_part(total[0]);
    if constexpr (scaled) {
      // An overflow of complex numbers may be NaN.
      if (!Kokkos::isfinite(plain)) return Kokkos::sqrt(real_part(total[1])) * up;
      if (plain < least) return Kokkos::sqrt(real_part(total[2])) * down;
    }
    return Kokkos::sqrt(plain);
  }
};

}  // namespace heddle::detail::vectors

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
