// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/core/types.hpp>

#include <heddle/backends/host/lanes.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <heddle/backends/cuda/lanes.hpp>
#endif
#ifdef KOKKOS_ENABLE_HIP
#include <heddle/backends/hip/lanes.hpp>
#endif

namespace heddle::backends {

/// The backend behind an execution space: `Lanes` names its lane words (see Subwarp).
template <ExecutionSpace Exec>
struct Backend {
  using Lanes = HostLanes;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct Backend<Kokkos::Cuda> {
  using Lanes = CudaLanes;
};
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
struct Backend<Kokkos::HIP> {
  using Lanes = HipLanes;
};
#endif

/// The widest subwarp of a backend: 32 on CUDA, 64 on HIP, 1 on CPUs.
template <ExecutionSpace Exec>
inline constexpr int max_subwarp_width = Backend<Exec>::Lanes::max_width;

/// Whether a backend runs many lanes in step (a GPU), or one lane a thread (a CPU).
template <ExecutionSpace Exec>
inline constexpr bool has_lanes = max_subwarp_width<Exec> > 1;

}  // namespace heddle::backends
