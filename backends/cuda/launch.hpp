// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/gpu_launch.hpp>

namespace heddle::backends {

template <class LaunchShape, class Kernel>
void launch_teams(const Kokkos::Cuda& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel) {
  const ProfiledKernel profiled(exec, label);
  int current = 0;
  cudaGetDevice(&current);
  if (current != exec.cuda_device()) cudaSetDevice(exec.cuda_device());
  run_on_stream<Kokkos::Cuda, LaunchShape>(exec.cuda_stream(), teams, kernel);
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) check_launch(label, cudaGetErrorString(status));
}

/// Teams of this kernel that the device holds at once.
template <class LaunchShape, class Kernel>
int resident_teams(const Kokkos::Cuda& exec) {
  int per_multiprocessor = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor,
                                                run_teams<Kokkos::Cuda, LaunchShape, Kernel>,
                                                LaunchShape::team_threads, 0);
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, exec.cuda_device());
  return per_multiprocessor * multiprocessors;
}

}  // namespace heddle::backends
