// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/profiled_kernel.hpp>
#include <heddle/backends/team.hpp>
#include <heddle/core/error.hpp>
#include <string>

/// What CUDA and HIP launches share: the source is the same, the compiler differs.
namespace heddle::backends {

/// The second launch bound: CUDA counts teams of a multiprocessor, HIP the wavefronts of 64 on each
/// of a compute unit's four SIMDs.
template <class Exec, class LaunchShape>
inline constexpr int resident_bound =
    max_subwarp_width<Exec> == 64
        ? (LaunchShape::teams_resident * LaunchShape::team_threads + 255) / 256
        : LaunchShape::teams_resident;

inline void check_launch(const char* label, const char* problem) {
  if (problem) {
    throw Error(std::string("the device refused to launch ") + label + ": " + problem,
                "see whether an earlier kernel failed, and whether the program was built for this "
                "device");
  }
}

}  // namespace heddle::backends
