// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/gpu_launch.hpp>

namespace heddle::backends {

inline void check_launch(const char* label, hipError_t status) {
  if (status != hipSuccess) check_launch(label, hipGetErrorString(status));
}

/// A team a place, and no loop over places: in a loop the compiler keeps every argument of the
/// kernel in scalar registers all the time, and there are too few of them.
template <class LaunchShape, class Kernel>
__global__ void __launch_bounds__(LaunchShape::team_threads,
                                  (resident_bound<Kokkos::HIP, LaunchShape>))
    run_hip_teams(const Kernel kernel, std::int64_t first) {
  __shared__ typename Kernel::Scratch scratch;
  kernel(Team<Kokkos::HIP, LaunchShape>(first + blockIdx.x), scratch);
}

/// Launches straight on the stream: a Kokkos team policy queries the kernel's attributes at every
/// launch, which costs more than a small SpMV takes.
template <class LaunchShape, class Kernel>
void launch_teams(const Kokkos::HIP& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel) {
  const ProfiledKernel profiled(exec, label);
  int current = 0;
  check_launch(label, hipGetDevice(&current));
  if (current != exec.hip_device()) check_launch(label, hipSetDevice(exec.hip_device()));
  // HIP counts a grid in threads, and takes fewer than 2^32.
  constexpr std::int64_t longest = (std::int64_t{1} << 31) / LaunchShape::team_threads;
  for (std::int64_t first = 0; first < teams; first += longest) {
    const auto grid = static_cast<unsigned>(teams - first < longest ? teams - first : longest);
    run_hip_teams<LaunchShape>
        <<<grid, LaunchShape::team_threads, 0, exec.hip_stream()>>>(kernel, first);
  }
  check_launch(label, hipGetLastError());
}

/// Teams of this kernel that the device holds at once.
template <class LaunchShape, class Kernel>
int resident_teams(const Kokkos::HIP& exec) {
  int per_multiprocessor = 0;
  check_launch(
      "a kernel's count of resident teams",
      hipOccupancyMaxActiveBlocksPerMultiprocessor(
          &per_multiprocessor, run_hip_teams<LaunchShape, Kernel>, LaunchShape::team_threads, 0));
  int multiprocessors = 0;
  check_launch("a kernel's count of resident teams",
               hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount,
                                     exec.hip_device()));
  return per_multiprocessor * multiprocessors;
}

}  // namespace heddle::backends
