// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace heddle::backends {

/// Asks a CPU to bring the cache line of `place` near; any address is allowed. A GPU hides its
/// waits behind other threads, and is not asked.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const T* place) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(place);
#endif
}

/// How many entries of a type lie in a cache line of a CPU, at least one.
template <class T>
inline constexpr int entries_per_line = sizeof(T) < 64 ? 64 / static_cast<int>(sizeof(T)) : 1;

}  // namespace heddle::backends
