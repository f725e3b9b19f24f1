// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../core/types.hpp"
#include "host/stream.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/stream.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "hip/stream.hpp"
#endif

/// For those who bring arrays and streams of another library, as CuPy or PyTorch.
namespace heddle::backends {

/// Whose arrays kernels of Exec read in place, by DLPack's numbers: 1 the host's, 2 CUDA's, 10
/// HIP's.
template <ExecutionSpace Exec>
inline constexpr int dlpack_device = Streams<KokkosSpace<Exec>>::dlpack_device;

/// The device that the calling thread has chosen, or -1 where there is only one.
template <ExecutionSpace Exec>
int current_device() {
  return Streams<KokkosSpace<Exec>>::current_device();
}

/// The instance that queues on the stream with this handle, which stays its owner's. The default
/// stream, of handle 0, is Kokkos' own one on Kokkos' own device, since those wait for each other.
/// Where there are no streams: the default instance.
template <ExecutionSpace Exec>
KokkosSpace<Exec> instance_on_stream(std::uintptr_t handle) {
  return Streams<KokkosSpace<Exec>>::instance(handle);
}

}  // namespace heddle::backends
