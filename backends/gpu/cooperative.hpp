// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../all_teams.hpp"
#include "launch.hpp"

/// The part of cooperative launches that CUDA and HIP share.
namespace heddle::backends {

template <class Exec, class LaunchShape, class Kernel>
__global__ void __launch_bounds__(LaunchShape::team_threads, (resident_bound<Exec, LaunchShape>))
    run_all_teams(const Kernel kernel, const MeetingWords words) {
  __shared__ typename Kernel::Scratch scratch;
  kernel(AllTeams<Exec, LaunchShape>(blockIdx.x, static_cast<int>(gridDim.x), words), scratch);
}

}  // namespace heddle::backends
