// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace heddle::backends {

#ifdef __HIP_DEVICE_COMPILE__
/// The clock of constant rate that the compute units of a HIP device share.
struct HipClock {
  __device__ static std::int64_t ticks() { return wall_clock64(); }
};
#endif

inline double tick_nanoseconds(const Kokkos::HIP& exec) {
  int kilohertz = 0;
  if (hipDeviceGetAttribute(&kilohertz, hipDeviceAttributeWallClockRate, exec.hip_device()) !=
          hipSuccess ||
      kilohertz <= 0) {
    return 10;  // 100 MHz, as on gfx90a
  }
  return 1e6 / kilohertz;
}

}  // namespace heddle::backends
