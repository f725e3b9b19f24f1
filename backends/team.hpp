// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "scratch.hpp"
#include "subwarp.hpp"

namespace heddle::backends {

/// Width of a launch: the lanes of a subwarp, the threads of a team, and how many teams a
/// multiprocessor should be able to hold at once (which bounds the registers a thread may use; 0:
/// the compiler weighs registers against teams). If there are no lanes a team is one thread,
/// whatever the shape.
template <int SubwarpWidth, int TeamThreads = 256, int TeamsResident = 1>
struct Shape {
  static_assert(TeamThreads % SubwarpWidth == 0, "a team is a whole number of subwarps");
  static constexpr int subwarp_width = SubwarpWidth;
  static constexpr int team_threads = TeamThreads;
  static constexpr int teams_resident = TeamsResident;
};

/// Subwarps that run together, share scratch and can wait for each other.
template <ExecutionSpace Exec, class LaunchShape>
class Team {
  using Lanes = typename Backend<Exec>::Lanes;

 public:
  using execution_space = Exec;
  /// Width of a subwarp: that of the shape if there are lanes, else one lane.
  static constexpr int subwarp_width = has_lanes<Exec> ? LaunchShape::subwarp_width : 1;
  static constexpr int threads = has_lanes<Exec> ? LaunchShape::team_threads : 1;
  static constexpr int subwarps = threads / subwarp_width;
  using subwarp_type = Subwarp<Exec, subwarp_width>;

  KOKKOS_FORCEINLINE_FUNCTION explicit Team(std::int64_t index) : index_(index) {}

  /// This team's place in the launch, from 0.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index() const { return index_; }
  KOKKOS_FORCEINLINE_FUNCTION subwarp_type subwarp() const { return {}; }
  /// This thread's place in the team, from 0 to threads - 1.
  KOKKOS_FORCEINLINE_FUNCTION int thread() const { return Lanes::thread(); }
  /// This subwarp's place in the team, from 0 to subwarps - 1.
  KOKKOS_FORCEINLINE_FUNCTION int subwarp_index() const { return thread() / subwarp_width; }

  /// All threads of the team wait for each other, and see what each wrote to scratch before.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { Lanes::barrier(); }

  /// A barrier of the team. Threads that see what a thread of it publishes or counts (arrive) after
  /// it also see what each of its threads wrote to memory before it.
  KOKKOS_FORCEINLINE_FUNCTION void barrier_to_publish() const {
    if constexpr (requires { Lanes::barrier_to_publish(); }) {
      Lanes::barrier_to_publish();
    } else {
      Lanes::barrier();
    }
  }

 private:
  std::int64_t index_;
};

}  // namespace heddle::backends
