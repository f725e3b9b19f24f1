// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../gpu/stream.hpp"
#include "../host/stream.hpp"

namespace heddle::backends {

template <>
struct Streams<Kokkos::HIP>
    : GpuStreams<Kokkos::HIP, hipStream_t, &hipGetDevice, &hipSetDevice, &Kokkos::HIP::hip_device> {
  static constexpr int dlpack_device = 10;
};

}  // namespace heddle::backends
