// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../gpu/known_device.hpp"
#include "../memory_speed.hpp"
#include "../scratch.hpp"
#include "wavefront.hpp"

namespace heddle::backends {

/// Bytes of LDS that a team can have, less its ticket. Kokkos' properties are those of its default
/// device alone.
inline std::size_t max_scratch_bytes(const Kokkos::HIP& exec) {
  int bytes = 0;
  static_cast<void>(
      hipDeviceGetAttribute(&bytes, hipDeviceAttributeMaxSharedMemoryPerBlock, exec.hip_device()));
  return static_cast<std::size_t>(bytes) - scratch_alignment_bytes;
}

inline Device asked_device(const Kokkos::HIP& exec) {
  hipDeviceProp_t properties{};
  static_cast<void>(hipGetDeviceProperties(&properties, exec.hip_device()));
  check_wavefront(properties.name, properties.gcnArchName, properties.warpSize);
  Device device;
  device.name = properties.name;
  int driver = 0, runtime = 0;
  const bool known =
      hipDriverGetVersion(&driver) == hipSuccess && hipRuntimeGetVersion(&runtime) == hipSuccess;
  if (known) device.driver = "hip " + std::to_string(driver) + " " + std::to_string(runtime);
  device.multiprocessors = properties.multiProcessorCount;
  device.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  device.bytes_per_second =
      copy_bytes_per_second(device.name, properties.memoryClockRate, properties.memoryBusWidth);
  device.cache_bytes = properties.l2CacheSize;
  device.scratch_bytes = max_scratch_bytes(exec);
  return device;
}

/// Throws Error if wavefronts have 32 lanes.
inline Device describe_device(const Kokkos::HIP& exec) {
  return known_device(exec.hip_device(), [&] { return asked_device(exec); });
}

}  // namespace heddle::backends
