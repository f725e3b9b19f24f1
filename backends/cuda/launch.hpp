// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/gpu_launch.hpp>

namespace heddle::backends {

/// A team a place, and no loop over places: before a loop the compiler computes what every place
/// needs, and the first loads wait for it.
template <class LaunchShape, class Kernel>
__global__ void __launch_bounds__(LaunchShape::team_threads,
                                  (resident_bound<Kokkos::Cuda, LaunchShape>))
    run_teams(const Kernel kernel, std::int64_t first) {
  __shared__ typename Kernel::Scratch scratch;
  kernel(Team<Kokkos::Cuda, LaunchShape>(first + blockIdx.x), scratch);
}

/// Launches straight on the stream: a Kokkos team policy queries the kernel's attributes at every
/// launch, which costs more than a small SpMV takes.
template <class LaunchShape, class Kernel>
void launch_teams(const Kokkos::Cuda& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel) {
  const ProfiledKernel profiled(exec, label);
  int current = 0;
  cudaGetDevice(&current);
  if (current != exec.cuda_device()) cudaSetDevice(exec.cuda_device());
  for (std::int64_t first = 0; first < teams; first += max_teams_in_order) {
    const std::int64_t left = teams - first;
    const auto grid = static_cast<unsigned>(left < max_teams_in_order ? left : max_teams_in_order);
    run_teams<LaunchShape>
        <<<grid, LaunchShape::team_threads, 0, exec.cuda_stream()>>>(kernel, first);
  }
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) check_launch(label, cudaGetErrorString(status));
}

/// Teams of this kernel that the device holds at once.
template <class LaunchShape, class Kernel>
int resident_teams(const Kokkos::Cuda& exec) {
  int per_multiprocessor = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, run_teams<LaunchShape, Kernel>,
                                                LaunchShape::team_threads, 0);
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, exec.cuda_device());
  return per_multiprocessor * multiprocessors;
}

}  // namespace heddle::backends
