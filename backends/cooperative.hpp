// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../core/error.hpp"
#include "all_teams.hpp"
#include "host/cooperative.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/cooperative.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "hip/cooperative.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "emulated/cooperative.hpp"
#endif

namespace heddle::backends {

/// Whether all teams of a launch can be made to run at the same time. Portable cannot: its team
/// policy does not guarantee it.
template <ExecutionSpace Exec>
inline constexpr bool has_cooperative = waits_make_progress<Exec>;

/// Teams of this kernel that the device runs at the same time if nothing else runs.
template <class LaunchShape, class Kernel, ExecutionSpace Exec>
int most_cooperative_teams(const Exec& exec) {
  if constexpr (has_cooperative<Exec>) {
    return cooperative_teams<LaunchShape, Kernel>(exec);
  } else {
    return 0;
  }
}

/// Runs `kernel(all_teams, scratch)` for `teams` teams on `exec`, and returns at once. The device
/// starts all teams together, so that they may wait for each other in any order: the launch waits
/// for room that other launches occupy. (A plain launch of as many teams as fit does not guarantee
/// that.) On a CPU a team is a thread, and there may be fewer of them: AllTeams::teams().
///
/// Kernel is small enough to be passed by value and declares `Scratch`, the uninitialized memory
/// that a team shares: a trivial type or NoScratch. `label` is a literal of the form
/// "heddle::op::phase". All threads reach every barrier of all teams.
///
/// Throws Error if there is no such launch, for more teams than most_cooperative_teams, or if the
/// device refuses.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
  requires(!has_dynamic_scratch<Kernel>)
void launch_cooperative(const Exec& exec, const char* label, int teams, const Kernel& kernel,
                        const MeetingWords& words) {
  const int most = most_cooperative_teams<LaunchShape, Kernel>(exec);
  if (teams > most) {
    throw Error(std::string(label) + " asks for " + std::to_string(teams) +
                    " teams at the same time, and this device runs " + std::to_string(most),
                "ask for no more than most_cooperative_teams");
  }
  if constexpr (has_cooperative<Exec>) {
    if (teams > 0) launch_all_teams<LaunchShape>(exec, label, teams, kernel, words);
  }
}

/// A kernel of all teams as one of a single team: for a device without such launches, or where one
/// team is enough.
template <class Kernel>
struct InOneTeam {
  using Scratch = typename Kernel::Scratch;
  using Shape = typename Kernel::Shape;

  template <class Team>
  struct Alone {
    using team_type = Team;
    const Team& only;
    KOKKOS_FORCEINLINE_FUNCTION const Team& team() const { return only; }
    KOKKOS_FORCEINLINE_FUNCTION static int teams() { return 1; }
    KOKKOS_FORCEINLINE_FUNCTION void barrier() const { only.barrier_to_publish(); }
  };

  Kernel kernel;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    kernel(Alone<Team>{team}, scratch);
  }
};

}  // namespace heddle::backends
