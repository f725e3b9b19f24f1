// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../gpu/check_launch.hpp"

namespace heddle::backends {

/// Makes a failure the caller's own: the runtime would tell the next launch of it, whoever's.
inline bool worked(hipError_t status) {
  if (status == hipSuccess) return true;
  static_cast<void>(hipGetLastError());
  return false;
}
inline void check_launch(const char* label, hipError_t status) {
  if (!worked(status)) check_launch(label, hipGetErrorString(status));
}

/// Makes the device of `exec` the caller's current one, on which launches, attributes of kernels
/// and their occupancy are.
inline void make_current(const Kokkos::HIP& exec, const char* label) {
  int current = 0;
  check_launch(label, hipGetDevice(&current));
  if (current != exec.hip_device()) check_launch(label, hipSetDevice(exec.hip_device()));
}

}  // namespace heddle::backends
