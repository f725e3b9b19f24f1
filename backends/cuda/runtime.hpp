// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../gpu/check_launch.hpp"

namespace heddle::backends {

/// Makes a failure the caller's own: the runtime would tell the next launch of it, whoever's.
inline bool worked(cudaError_t status) {
  if (status == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}
inline void check_launch(const char* label, cudaError_t status) {
  if (!worked(status)) check_launch(label, cudaGetErrorString(status));
}

/// Makes the device of `exec` the caller's current one, on which launches, attributes of kernels
/// and their occupancy are.
inline void make_current(const Kokkos::Cuda& exec, const char* label) {
  int current = 0;
  check_launch(label, cudaGetDevice(&current));
  if (current != exec.cuda_device()) check_launch(label, cudaSetDevice(exec.cuda_device()));
}

}  // namespace heddle::backends
