// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <utility>

/// Makes a GPU compiler unroll the next loop N times, so that the loads of N rounds are in flight
/// together. CPUs have their own means, and their compilers other pragmas.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define HEDDLE_PRAGMA(text) _Pragma(#text)
#define HEDDLE_UNROLL(n) HEDDLE_PRAGMA(unroll n)
#else
#define HEDDLE_UNROLL(n)
#endif

namespace heddle::backends {

namespace detail {
template <class Body, int... I>
KOKKOS_FORCEINLINE_FUNCTION void call_each(const Body& body, std::integer_sequence<int, I...>) {
  (body(I), ...);
}
}  // namespace detail

/// Calls body(0), ..., body(N - 1) without a loop, so that a CPU's registers hold the elements of
/// arrays that body indexes: GCC does not unroll loops over a few packs, and keeps packs in memory.
template <int N, class Body>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(const Body& body) {
  detail::call_each(body, std::make_integer_sequence<int, N>());
}

}  // namespace heddle::backends
