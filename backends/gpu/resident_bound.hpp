// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../lanes.hpp"

namespace heddle::backends {

/// The second launch bound: teams of a multiprocessor on CUDA; on HIP the wavefronts of 64 lanes on
/// each of a compute unit's four SIMDs.
template <class Exec, class LaunchShape>
inline constexpr int resident_bound =
    Backend<Exec>::Lanes::bounds_by_waves
        ? ceil_div(LaunchShape::teams_resident * LaunchShape::team_threads, 256)
        : LaunchShape::teams_resident;

}  // namespace heddle::backends
