// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>
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

/// Number of ones, as std::popcount. In C++20 Kokkos' function of that name is a loop over the ones
/// on every device, and before Kokkos 5 on CPUs too, since it may be a constant.
template <std::unsigned_integral T>
  requires(sizeof(T) >= sizeof(unsigned))
KOKKOS_FORCEINLINE_FUNCTION int popcount(T x) {
  return static_cast<int>(Kokkos::Experimental::popcount_builtin(x));
}

/// Number of zeros below the lowest one, as std::countr_zero; of 0 the number of bits.
template <std::unsigned_integral T>
  requires(sizeof(T) >= sizeof(unsigned))
KOKKOS_FORCEINLINE_FUNCTION int countr_zero(T x) {
  return static_cast<int>(Kokkos::Experimental::countr_zero_builtin(x));
}

}  // namespace heddle
