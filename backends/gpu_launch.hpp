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

/// A team a place, and no loop over places: before a loop the compiler for sm_90 computes what
/// every place needs, and the first loads wait for it; the one for gfx90a keeps every argument of
/// the kernel in scalar registers all the time, and there are too few of them.
template <class Exec, class LaunchShape, class Kernel>
__global__ void __launch_bounds__(LaunchShape::team_threads, (resident_bound<Exec, LaunchShape>))
    run_teams(const Kernel kernel, std::int64_t first) {
  __shared__ typename Kernel::Scratch scratch;
  kernel(Team<Exec, LaunchShape>(first + blockIdx.x), scratch);
}

/// Straight on the stream: a Kokkos team policy queries the kernel's attributes at every launch,
/// which costs more than a small SpMV takes.
template <class Exec, class LaunchShape, class Stream, class Kernel>
void run_on_stream(const Stream& stream, std::int64_t teams, const Kernel& kernel) {
  // HIP counts a grid in threads, and takes fewer than 2^32.
  constexpr std::int64_t longest = (std::int64_t{1} << 31) / LaunchShape::team_threads;
  for (std::int64_t first = 0; first < teams; first += longest) {
    const auto grid = static_cast<unsigned>(teams - first < longest ? teams - first : longest);
    run_teams<Exec, LaunchShape><<<grid, LaunchShape::team_threads, 0, stream>>>(kernel, first);
  }
}

inline void check_launch(const char* label, const char* problem) {
  if (problem) {
    throw Error(std::string("the device refused to launch ") + label + ": " + problem,
                "see whether an earlier kernel failed, and whether the program was built for this "
                "device");
  }
}

}  // namespace heddle::backends
