// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace heddle::backends {

/// The number of a thread in its team, as Heddle launches.
struct ThreadsInARow {
  __device__ static unsigned thread() { return threadIdx.x; }
};

/// The number of a thread in its team under Kokkos' team policy: x is the lane, y the subwarp.
struct ThreadsOfTeamPolicy {
  __device__ static unsigned thread() { return threadIdx.y * blockDim.x + threadIdx.x; }
};

}  // namespace heddle::backends
