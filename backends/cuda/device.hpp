// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../gpu/known_device.hpp"
#include "../memory_speed.hpp"
#include "../scratch.hpp"

namespace heddle::backends {

/// Bytes of scratch that a team can have if a kernel is allowed it (227 KB on sm_90), less its
/// ticket. Kokkos' properties are those of its default device alone.
inline std::size_t max_scratch_bytes(const Kokkos::Cuda& exec) {
  int bytes = 0;
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.cuda_device());
  return static_cast<std::size_t>(bytes) - scratch_alignment_bytes;
}

/// Teams of a cluster at most: 16 if device and program are of sm_90 or sm_100, where 8 are always
/// granted; else 0.
inline int max_teams_per_cluster(const Kokkos::Cuda& exec) {
#if defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_BLACKWELL100)
  int launches = 0;
  cudaDeviceGetAttribute(&launches, cudaDevAttrClusterLaunch, exec.cuda_device());
  return launches ? 16 : 0;
#else
  (void)exec;
  return 0;
#endif
}

inline Device asked_device(const Kokkos::Cuda& exec) {
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, exec.cuda_device());
    return value;
  };
  Device device;
  cudaDeviceProp properties{};
  cudaGetDeviceProperties(&properties, exec.cuda_device());
  device.name = properties.name;
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  device.driver = "cuda " + std::to_string(driver) + " " + std::to_string(runtime);
  device.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  device.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  device.bytes_per_second =
      copy_bytes_per_second(device.name, attribute(cudaDevAttrMemoryClockRate),
                            attribute(cudaDevAttrGlobalMemoryBusWidth));
  device.cache_bytes = attribute(cudaDevAttrL2CacheSize);
  device.scratch_bytes = max_scratch_bytes(exec);
  device.most_teams_per_cluster = max_teams_per_cluster(exec);
  return device;
}

inline Device describe_device(const Kokkos::Cuda& exec) {
  return known_device(exec.cuda_device(), [&] { return asked_device(exec); });
}

}  // namespace heddle::backends
