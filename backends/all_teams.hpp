// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "memory.hpp"
#include "team.hpp"

namespace heddle::backends {

/// State of the barrier of all teams of a cooperative launch, in device memory: zero before the
/// first launch, and ready for the next one after each. One launch at a time. Meetings are counted
/// modulo 2^32.
struct MeetingWords {
  int* arrived = nullptr;
  int* meetings = nullptr;
};

/// Argument of a kernel of launch_cooperative: its team, and a barrier of all teams.
template <ExecutionSpace Exec, class LaunchShape>
class AllTeams {
 public:
  using execution_space = Exec;
  using team_type = Team<Exec, LaunchShape>;

  KOKKOS_FORCEINLINE_FUNCTION AllTeams(std::int64_t index, int teams, const MeetingWords& words)
      : team_(index), teams_(teams), words_(words) {}

  /// The calling thread's team; its index is below teams().
  KOKKOS_FORCEINLINE_FUNCTION const team_type& team() const { return team_; }
  /// Number of teams, which may be fewer than were asked for.
  KOKKOS_FORCEINLINE_FUNCTION int teams() const { return teams_; }

  /// All threads of all teams wait for each other, and see what each wrote to memory before.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {
    team_.barrier_to_publish();
    if (team_.thread() == 0) {
      const int now = look(words_.meetings);  // unchanged until this team has arrived
      if (arrive(words_.arrived) + 1 == teams_) {
        fence();
        post(words_.arrived, 0);
        publish(words_.meetings, static_cast<int>(static_cast<unsigned>(now) + 1));
      } else {
        await(words_.meetings, IsAnother{now});
      }
    }
    team_.barrier();
  }

 private:
  struct IsAnother {
    int than;
    KOKKOS_FORCEINLINE_FUNCTION bool operator()(int meetings) const { return meetings != than; }
  };

  team_type team_;
  int teams_;
  MeetingWords words_;
};

}  // namespace heddle::backends
