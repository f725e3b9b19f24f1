// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../gpu/launch.hpp"
#include "device.hpp"

namespace heddle::backends {

inline void check_launch(const char* label, hipError_t status) {
  if (status != hipSuccess) check_launch(label, hipGetErrorString(status));
}

/// Makes the device of `exec` the caller's current one, on which launches, attributes of kernels
/// and their occupancy are.
inline void make_current(const Kokkos::HIP& exec, const char* label) {
  int current = 0;
  check_launch(label, hipGetDevice(&current));
  if (current != exec.hip_device()) check_launch(label, hipSetDevice(exec.hip_device()));
}

template <class LaunchShape, class Kernel, class Order>
void launch_teams(const Kokkos::HIP& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel, Order order, std::size_t scratch_bytes) {
  const ProfiledKernel profiled(exec, label);
  make_current(exec, label);
  run_on_stream<Kokkos::HIP, LaunchShape>(exec.hip_stream(), teams, kernel, order, scratch_bytes);
  check_launch(label, hipGetLastError());
}

/// Teams of this kernel that the device holds at once.
template <class LaunchShape, class Kernel>
int resident_teams(const Kokkos::HIP& exec, std::size_t scratch_bytes = 0) {
  const char* const what = "a kernel's count of resident teams";
  make_current(exec, what);
  int per_multiprocessor = 0;
  check_launch(what, hipOccupancyMaxActiveBlocksPerMultiprocessor(
                         &per_multiprocessor, run_teams<Kokkos::HIP, LaunchShape, Kernel, AnyOrder>,
                         LaunchShape::team_threads, scratch_bytes));
  int multiprocessors = 0;
  check_launch(what, hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount,
                                           exec.hip_device()));
  return per_multiprocessor * multiprocessors;
}

}  // namespace heddle::backends
