// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/memory.hpp"
#include "places.hpp"

/// Sums over all teams of a launch, in a fixed order: teams leave theirs in memory, and the last
/// one to end adds them up. No floating-point number is added atomically.
namespace heddle::detail::team_sums {

/// Where the subwarps of a team leave their sums, and what they learn together. Raw bytes, since
/// complex types have constructors that scratch must not run.
template <Scalar Acc, int Values, int MostSubwarps = team_threads / 32>
struct Scratch {
  alignas(16) unsigned char sum_bytes[sizeof(Acc) * MostSubwarps * Values];
  int last;

  KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int i) { return reinterpret_cast<Acc*>(sum_bytes)[i]; }
};

/// Adds up `values` numbers of each thread over the team: thread 0 gets them, in an order that the
/// shape of the team fixes. All threads call it.
template <class Team, Scalar Acc, int Values, int MostSubwarps>
KOKKOS_FORCEINLINE_FUNCTION void add_over_team(const Team& team,
                                               Scratch<Acc, Values, MostSubwarps>& scratch,
                                               Acc (&sums)[Values], int values) {
  if constexpr (Team::threads > 1) {
    static_assert(Team::subwarps <= MostSubwarps);
    const auto subwarp = team.subwarp();
    for (int i = 0; i < Values; ++i) {
      if (i >= values) break;  // alike in all lanes
      const Acc sum = subwarp.sum(sums[i]);
      if (subwarp.lane() == 0) scratch.sum(team.subwarp_index() * Values + i) = sum;
    }
    team.barrier();
    if (team.thread() == 0) {
      for (int i = 0; i < Values; ++i) {
        if (i >= values) break;
        Acc sum = scratch.sum(i);
        for (int s = 1; s < Team::subwarps; ++s) sum += scratch.sum(s * Values + i);
        sums[i] = sum;
      }
    }
    team.barrier();
  }
}

/// Counts this team in, whose partial sums its thread 0 wrote, and says whether it is the last of
/// `teams`; then the sums of all are there to be read. The counter is zero again for the next
/// launch.
template <class Team, class AnyScratch>
KOKKOS_FORCEINLINE_FUNCTION bool is_last(const Team& team, AnyScratch& scratch, int* through,
                                         int teams) {
  if (team.thread() == 0) {
    const bool last = backends::arrive(through) + 1 == teams;
    if (last) {
      backends::fence();  // before the barrier, which hands on to the team what it orders
      backends::post(through, 0);
    }
    scratch.last = last ? 1 : 0;
  }
  team.barrier();
  return scratch.last != 0;
}

/// By the last team: sums[i] of thread 0 becomes number first + i of all teams, in an order that
/// the number of teams fixes.
template <class Team, Scalar Acc, int Values, int MostSubwarps>
KOKKOS_FORCEINLINE_FUNCTION void add_over_teams(const Team& team,
                                                Scratch<Acc, Values, MostSubwarps>& scratch,
                                                const Partials<Acc>& partials, int teams, int first,
                                                int values, Acc (&sums)[Values]) {
  for (int i = 0; i < Values; ++i) {
    sums[i] = Acc(0);
    if (i >= values) continue;
    for (int t = team.thread(); t < teams; t += Team::threads) {
      sums[i] += partials.sums[static_cast<std::int64_t>(t) * partials.values + first + i];
    }
  }
  add_over_team(team, scratch, sums, values);
}

}  // namespace heddle::detail::team_sums
