// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../lanes.hpp"
#include "../launch.hpp"
#include "../loops.hpp"
#include "../memory.hpp"
#include "team_sums_workspace.hpp"

/// Sums over all teams of a launch, in a fixed order: teams write partial sums to memory, and the
/// last team to end adds them up. No floating-point number is added atomically.
namespace heddle::detail::team_sums {

/// Partial sums of the subwarps of a team, and a flag that the team shares. Raw bytes, since
/// complex types have constructors that scratch must not run.
template <Scalar Acc, int Values, int MostSubwarps = team_threads / 32>
struct Scratch {
  alignas(16) unsigned char sum_bytes[sizeof(Acc) * MostSubwarps * Values];
  int last;

  KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int i) { return reinterpret_cast<Acc*>(sum_bytes)[i]; }
};

/// Adds up `values` numbers of each thread over the team, for thread 0, in an order fixed by the
/// shape of the team. All threads call it.
template <class Team, Scalar Acc, int Values, int MostSubwarps>
KOKKOS_FORCEINLINE_FUNCTION void add_over_team(const Team& team,
                                               Scratch<Acc, Values, MostSubwarps>& scratch,
                                               Acc (&sums)[Values], int values) {
  if constexpr (Team::threads > 1) {
    static_assert(Team::subwarps <= MostSubwarps);
    const auto subwarp = team.subwarp();
    for (int i = 0; i < Values; ++i) {
      if (i >= values) break;  // the same in all lanes
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

/// Counts this team in after its thread 0 wrote its partial sums, and returns whether it is the
/// last of `teams`, which then may read the sums of all. The counter is reset to zero for the next
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

/// Called by the last team: sums[i] of thread 0 becomes the sum of number first + i over all teams,
/// in an order fixed by the number of teams.
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

namespace heddle {

template <ExecutionSpace Exec, Scalar Acc>
VectorWorkspace<Exec, Acc>::VectorWorkspace(const Exec& exec, int most_numbers,
                                            std::int64_t rows_of_product) {
  namespace team_sums = detail::team_sums;
  // The last team adds up the numbers of all teams: many numbers need fewer teams.
  constexpr std::int64_t ample = std::int64_t{1} << 20;
  constexpr std::int64_t least_numbers = 24;  // the norms of eight vectors are three sums each
  constexpr int threads = backends::has_lanes<Exec> ? team_sums::team_threads : 1;
  most_numbers_ = std::max<std::int64_t>(most_numbers, least_numbers);
  const std::int64_t teams =
      std::clamp<std::int64_t>(ample / most_numbers_, 1, std::max(1, exec.concurrency() / threads));
  room_ = most_numbers_ * teams;
  // One subwarp, the widest, takes one row of a product.
  constexpr int rows_per_team = team_sums::team_threads / backends::max_subwarp_width<Exec>;
  const std::int64_t of_rows =
      backends::has_lanes<Exec> ? ceil_div<std::int64_t>(rows_of_product, rows_per_team) : 0;
  most_teams_of_product_ = std::max(teams, of_rows);
  const std::int64_t groups = team_sums::groups_of(most_teams_of_product_);
  arena_ = Arena<typename Exec::memory_space>(
      exec, "heddle::vectors::workspace", arena_array(through_, groups + 1),
      arena_array(sums_, std::max(room_, most_teams_of_product_ + groups)));
  detail::fill(exec, "heddle::vectors::clear_workspace", through_, groups + 1, 0);
}

}  // namespace heddle
