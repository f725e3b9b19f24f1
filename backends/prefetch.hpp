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

}  // namespace heddle::backends
