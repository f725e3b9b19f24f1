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
using ThisClock = EmulatedClock;  // the host's outside of a lane
#else
using ThisClock = HostClock;
#endif

/// The clock that all threads of a CPU, or of a device of CUDA or HIP, share, in ticks of
/// tick_nanoseconds. What is read after a value was seen is no earlier than what its writer read
/// before it wrote.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t clock_ticks() { return ThisClock::ticks(); }

/// How long a tick is, on every device that does not say otherwise.
template <ExecutionSpace Exec>
double tick_nanoseconds(const Exec&) {
  return 1;
}

}  // namespace heddle::backends
