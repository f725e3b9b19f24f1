// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../host/stream.hpp"

namespace heddle::backends {

template <>
struct Streams<Kokkos::Cuda> {
  static constexpr int dlpack_device = 2;
  static int current_device() {
    int device = -1;
    return cudaGetDevice(&device) == cudaSuccess ? device : -1;
  }
  static Kokkos::Cuda instance(std::uintptr_t handle) {
    // Kokkos' stream can be captured in a graph, and the default one cannot.
    if (handle == 0 && current_device() == Kokkos::Cuda().cuda_device()) return Kokkos::Cuda();
    return Kokkos::Cuda(reinterpret_cast<cudaStream_t>(handle));
  }
};

}  // namespace heddle::backends
