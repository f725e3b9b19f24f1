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

/// Interface for programs that bring arrays and streams of another library, as CuPy or PyTorch.
namespace heddle::backends {

/// DLPack's number of the device whose arrays kernels of Exec read in place: 1 the host, 2 CUDA, 10
/// HIP.
template <ExecutionSpace Exec>
inline constexpr int dlpack_device = Streams<KokkosSpace<Exec>>::dlpack_device;

/// The current device of the calling thread, or -1 if there is only one.
template <ExecutionSpace Exec>
int current_device() {
  return Streams<KokkosSpace<Exec>>::current_device();
}

/// The instance that queues on the stream with this handle; its owner keeps the stream. For the
/// default stream, of handle 0, it is Kokkos' own one on Kokkos' own device, since those wait for
/// each other. Without streams: the default instance.
template <ExecutionSpace Exec>
KokkosSpace<Exec> instance_on_stream(std::uintptr_t handle) {
  return Streams<KokkosSpace<Exec>>::instance(handle);
}

/// Keeps the current device of the calling thread. Kokkos makes a device current where it allocates
/// or frees memory there.
template <ExecutionSpace Exec>
class KeepCurrentDevice {
 public:
  KeepCurrentDevice() : device_(current_device<Exec>()) {}
  ~KeepCurrentDevice() {
    if (device_ >= 0) Streams<KokkosSpace<Exec>>::set_current_device(device_);
  }
  KeepCurrentDevice(const KeepCurrentDevice&) = delete;
  KeepCurrentDevice& operator=(const KeepCurrentDevice&) = delete;

 private:
  int device_;
};

}  // namespace heddle::backends
