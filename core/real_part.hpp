// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "types.hpp"

namespace heddle::detail {

/// A real scalar is its own.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION heddle::RealOf<S> real_part(const S& value) {
  if constexpr (is_complex<S>) {
    return value.real();
  } else {
    return value;
  }
}

}  // namespace heddle::detail
