// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "host/clock.hpp"
#include "lanes.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/clock.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "hip/clock.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "emulated/clock.hpp"
#endif

namespace heddle::backends {

#if defined(__CUDA_ARCH__)
using ThisClock = CudaClock;
#elif defined(__HIP_DEVICE_COMPILE__)
using ThisClock = HipClock;
#elif defined(HEDDLE_EMULATED)
using ThisClock = EmulatedClock;  // outside of a lane the host's clock
#else
using ThisClock = HostClock;
#endif

/// Ticks, of tick_nanoseconds each, of the clock that all threads of a CPU, or of a CUDA or HIP
/// device, share. A time read after a value was seen is no earlier than one that the value's writer
/// read before it wrote.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t clock_ticks() { return ThisClock::ticks(); }

/// Length of a tick in nanoseconds; devices with another one overload it.
template <ExecutionSpace Exec>
double tick_nanoseconds(const Exec&) {
  return 1;
}

}  // namespace heddle::backends
