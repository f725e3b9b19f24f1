// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/types.hpp"
#include "tags.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/radix_sort.hpp"
#endif

namespace heddle::backends {

/// The radix sort of a device's library, for integers that are not negative and values with them;
/// most devices have none.
template <ExecutionSpace Exec>
struct DeviceRadixSort {
  static constexpr bool exists = false;
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct DeviceRadixSort<Kokkos::Cuda> : CudaRadixSort {};
#endif

}  // namespace heddle::backends
