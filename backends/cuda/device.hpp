// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../../core/device.hpp"
#include "../scratch.hpp"

namespace heddle::backends {

/// What a team can have of the scratch that must be allowed (227 KB on sm_90), less what its ticket
/// takes.
inline std::size_t max_scratch_bytes(const Kokkos::Cuda& exec) {
  return exec.cuda_device_prop().sharedMemPerBlockOptin - scratch_alignment_bytes;
}

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
  device.scratch_bytes = max_scratch_bytes(exec);
  return device;
}

}  // namespace heddle::backends
