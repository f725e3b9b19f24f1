// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../gpu/stream.hpp"
#include "../host/stream.hpp"

namespace heddle::backends {

template <>
struct Streams<Kokkos::Cuda> : GpuStreams<Kokkos::Cuda, cudaStream_t, &cudaGetDevice,
                                          &cudaSetDevice, &Kokkos::Cuda::cuda_device> {
  static constexpr int dlpack_device = 2;
};

}  // namespace heddle::backends
