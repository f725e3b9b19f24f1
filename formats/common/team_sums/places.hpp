// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/types.hpp"

/// Where sums over all teams of a launch lie: last_team.hpp, dot.hpp.
namespace heddle::detail::team_sums {

/// Threads of a team of a GPU that adds up.
inline constexpr int team_threads = 256;

/// Teams whose sums the last of them adds up before those of all groups are: neither waits long.
inline constexpr int group_teams = 256;

inline std::int64_t groups_of(std::int64_t teams) {
  return ceil_div<std::int64_t>(teams, group_teams);
}

/// What teams leave behind of their sums: `values` numbers each, and how many teams are through.
template <Scalar Acc>
struct Partials {
  Acc* sums = nullptr;  ///< of team t from t * values on
  int* through = nullptr;
  int values = 0;
  int most_teams = 1 << 30;  ///< that there is room for
};

/// Where the number goes, in memory of the device, and what is needed for it.
template <Scalar Acc>
struct Dot {
  Acc* result = nullptr;     ///< null: none is wanted
  bool with_itself = false;  ///< whether of y and y
  Acc* sums = nullptr;       ///< of the teams, and behind them of the groups
  int* through = nullptr;    ///< of all groups, and behind it of each
  std::int64_t most_teams = 0;
};

}  // namespace heddle::detail::team_sums
