// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/gpu_launch.hpp>

namespace heddle::backends {

inline void check_launch(const char* label, hipError_t status) {
  if (status != hipSuccess) check_launch(label, hipGetErrorString(status));
}

template <class LaunchShape, class Kernel>
void launch_teams(const Kokkos::HIP& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel) {
  const ProfiledKernel profiled(exec, label);
  int current = 0;
  check_launch(label, hipGetDevice(&current));
  if (current != exec.hip_device()) check_launch(label, hipSetDevice(exec.hip_device()));
  run_on_stream<Kokkos::HIP, LaunchShape>(exec.hip_stream(), teams, kernel);
  check_launch(label, hipGetLastError());
}

/// Teams of this kernel that the device holds at once.
template <class LaunchShape, class Kernel>
int resident_teams(const Kokkos::HIP& exec) {
  int per_multiprocessor = 0;
  check_launch("a kernel's count of resident teams",
               hipOccupancyMaxActiveBlocksPerMultiprocessor(
                   &per_multiprocessor, run_teams<Kokkos::HIP, LaunchShape, Kernel>,
                   LaunchShape::team_threads, 0));
  int multiprocessors = 0;
  check_launch("a kernel's count of resident teams",
               hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount,
                                     exec.hip_device()));
  return per_multiprocessor * multiprocessors;
}

}  // namespace heddle::backends
