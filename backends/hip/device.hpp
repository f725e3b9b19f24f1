// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <heddle/core/device.hpp>

namespace heddle::backends {

inline Device describe_device(const Kokkos::HIP& exec) {
  const hipDeviceProp_t& properties = exec.hip_device_prop();
  Device device;
  device.name = properties.name;
  device.multiprocessors = properties.multiProcessorCount;
  device.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  device.cache_bytes = properties.l2CacheSize;
  device.scratch_bytes = properties.sharedMemPerBlock;
  return device;
}

}  // namespace heddle::backends
