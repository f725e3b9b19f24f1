// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/subwarp.hpp>

namespace heddle::backends {

/// How wide a launch is: the lanes of a subwarp, the threads of a team, and how many teams a
/// multiprocessor should be able to hold at once (which bounds the registers a thread may use).
/// A CPU has one thread a team, whatever this says.
template <int SubwarpWidth, int TeamThreads = 256, int TeamsResident = 1>
struct Shape {
  static_assert(TeamThreads % SubwarpWidth == 0, "a team is a whole number of subwarps");
  static constexpr int subwarp_width = SubwarpWidth;
  static constexpr int team_threads = TeamThreads;
  static constexpr int teams_resident = TeamsResident;
};

/// Teams begin in the order of their index (each thread of a CPU takes its own in that order), so a
/// team of a launch of up to this many may wait for one of lower index. On a GPU a longer launch
/// becomes several.
inline constexpr std::int64_t max_teams_in_order = std::int64_t{1} << 24;

/// What a kernel without scratch declares as its Scratch.
struct NoScratch {};

/// The subwarps that run together, share scratch and can wait for each other.
template <ExecutionSpace Exec, class LaunchShape>
class Team {
 public:
  /// Subwarps are as wide as the shape says on a GPU, and one lane on a CPU.
  static constexpr int subwarp_width = has_lanes<Exec> ? LaunchShape::subwarp_width : 1;
  static constexpr int threads = has_lanes<Exec> ? LaunchShape::team_threads : 1;
  static constexpr int subwarps = threads / subwarp_width;
  using subwarp_type = Subwarp<Exec, subwarp_width>;

  KOKKOS_FORCEINLINE_FUNCTION explicit Team(std::int64_t index) : index_(index) {}

  /// This team's place in the launch, from 0.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index() const { return index_; }
  KOKKOS_FORCEINLINE_FUNCTION subwarp_type subwarp() const { return {}; }
  /// This thread's place in the team, from 0 to threads - 1.
  KOKKOS_FORCEINLINE_FUNCTION int thread() const {
    if constexpr (has_lanes<Exec>) {
      KOKKOS_IF_ON_DEVICE((return thread_in_team();))
    }
    return 0;
  }
  /// This subwarp's place in the team, from 0 to subwarps - 1.
  KOKKOS_FORCEINLINE_FUNCTION int subwarp_index() const { return thread() / subwarp_width; }

  /// All threads of the team wait for each other, and see what each wrote to scratch before.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {
    if constexpr (has_lanes<Exec>) {
      KOKKOS_IF_ON_DEVICE((team_barrier();))
    }
  }

 private:
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  __device__ static int thread_in_team() { return threadIdx.x; }
  __device__ static void team_barrier() { __syncthreads(); }
#endif

  std::int64_t index_;
};

}  // namespace heddle::backends
