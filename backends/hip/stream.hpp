// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../host/stream.hpp"

namespace heddle::backends {

template <>
struct Streams<Kokkos::HIP> {
  static constexpr int dlpack_device = 10;
  static int current_device() {
    int device = -1;
    return hipGetDevice(&device) == hipSuccess ? device : -1;
  }
  static Kokkos::HIP instance(std::uintptr_t handle) {
    // Kokkos' stream can be captured in a graph, and the default one cannot.
    if (handle == 0 && current_device() == Kokkos::HIP().hip_device()) return Kokkos::HIP();
    return Kokkos::HIP(reinterpret_cast<hipStream_t>(handle));
  }
};

}  // namespace heddle::backends
