// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace heddle::backends {

/// The number of a thread in its team, as Heddle launches.
struct ThreadsInARow {
  __device__ static unsigned thread() { return threadIdx.x; }
};

/// The same, as Kokkos' team policy launches: x counts the lanes of a subwarp, y the subwarps.
struct ThreadsOfTeamPolicy {
  __device__ static unsigned thread() { return threadIdx.y * blockDim.x + threadIdx.x; }
};

}  // namespace heddle::backends
