// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <heddle/core/device.hpp>

namespace heddle::backends {

inline Device describe_device(const Kokkos::Cuda& exec) {
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, exec.cuda_device());
    return value;
  };
  Device device;
  device.name = exec.cuda_device_prop().name;
  device.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  device.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  device.cache_bytes = attribute(cudaDevAttrL2CacheSize);
  device.scratch_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  return device;
}

}  // namespace heddle::backends
