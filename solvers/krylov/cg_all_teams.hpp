// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cooperative.hpp"
#include "cg_in_one_launch.hpp"

/// Conjugate gradients by all teams that run at the same time: cg/all-teams.
namespace heddle::detail::krylov {

/// Of a GPU neighbours have neighbouring rows; of a CPU a thread has rows side by side. Sums are of
/// the rows of a thread in order, of its team, and of the teams in an order that their number
/// fixes: each team adds up those of all, which lie in one of two sets, used in turns, since a team
/// may be at the next sum while another still reads this one.
template <class All, Scalar S>
struct CgTeams {
  using Team = typename All::team_type;
  static constexpr bool lanes = backends::has_lanes<typename All::execution_space>;

  const All& all;
  Wide<S>* partials;  ///< two sets of CgShared::most_sums for each team
  mutable int set = 0;

  KOKKOS_FORCEINLINE_FUNCTION const Team& team() const { return all.team(); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_first() const {
    return team().index() == 0 && team().thread() == 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { all.barrier(); }
  KOKKOS_FORCEINLINE_FUNCTION const S* of_all(const S* vector) const { return vector; }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(std::int64_t rows, const Body& body) const {
    if constexpr (lanes) {
      const std::int64_t threads = std::int64_t{Team::threads} * all.teams();
      for (std::int64_t i = team().index() * Team::threads + team().thread(); i < rows;
           i += threads) {
        body(i);
      }
    } else {
      const std::int64_t stop = rows * (team().index() + 1) / all.teams();
      for (std::int64_t i = rows * team().index() / all.teams(); i < stop; ++i) body(i);
    }
  }
  template <int Values>
  KOKKOS_FORCEINLINE_FUNCTION void add(CgShared<S>& shared, Wide<S> (&sums)[Values],
                                       int values) const {
    team_sums::add_over_team(team(), shared.sums, sums, values);
    Wide<S>* const of_teams = partials + static_cast<std::int64_t>(set) * all.teams() * Values;
    set = 1 - set;
    if (team().thread() == 0) {
      for (int i = 0; i < values; ++i) of_teams[team().index() * Values + i] = sums[i];
    }
    all.barrier();
    team_sums::add_over_teams(team(), shared.sums,
                              team_sums::Partials<Wide<S>>{of_teams, nullptr, Values}, all.teams(),
                              0, values, sums);
  }
};

template <Scalar S, class Matrix, Preconditioned How>
struct CgAllTeams {
  using Scratch = CgShared<S>;

  CgProblem<S, Matrix> problem;
  CgVectors<S*> vectors;
  Wide<S>* partials;

  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const All& all, Scratch& scratch) const {
    using Group = CgTeams<All, S>;
    const Group group{all, partials};
    CgSteps<S, Matrix, How, Group>{problem, group, scratch, vectors}.run();
  }
};

}  // namespace heddle::detail::krylov
