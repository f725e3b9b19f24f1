// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <type_traits>

namespace heddle {

/// a / b rounded up, for a >= 0 and b > 0. a + b must fit into the wider of the two types.
template <std::integral A, std::integral B>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  using T = std::common_type_t<A, B>;
  return (static_cast<T>(a) + static_cast<T>(b) - 1) / static_cast<T>(b);
}

}  // namespace heddle
