// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace heddle::backends {

/// Prefetches the cache line of `place` on a CPU; any address is allowed. Does nothing on a GPU,
/// which hides waits by running other threads.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const T* place) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(place);
#endif
}

/// Entries of a type in a cache line of a CPU, at least one.
template <class T>
inline constexpr int entries_per_line = sizeof(T) < 64 ? 64 / static_cast<int>(sizeof(T)) : 1;

}  // namespace heddle::backends
