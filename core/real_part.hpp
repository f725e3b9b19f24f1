// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "types.hpp"

namespace heddle::detail {

/// The real part of a scalar; a real scalar is its own.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION heddle::RealOf<S> real_part(const S& value) {
  if constexpr (is_complex<S>) {
    return value.real();
  } else {
    return value;
  }
}

/// S in single precision.
template <Scalar S>
using InFloat = std::conditional_t<is_complex<S>, Kokkos::complex<float>, float>;

/// A number converted to another precision, rounded if To is narrower.
template <Scalar To, Scalar From>
KOKKOS_FORCEINLINE_FUNCTION To rounded(const From& value) {
  using Real = heddle::RealOf<To>;
  if constexpr (is_complex<To>) {
    return To(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
  } else {
    return static_cast<Real>(value);
  }
}

}  // namespace heddle::detail
