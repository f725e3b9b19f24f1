// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../core/arena.hpp"
#include "../../core/error.hpp"
#include "../../core/move_only.hpp"
#include "../../core/types.hpp"

/// Workspace of sums over all teams of a launch: team_sums.hpp.
namespace heddle::detail::team_sums {

/// Threads of a team that sums on a GPU.
inline constexpr int team_threads = 256;

/// Teams of a group: its last team adds its sums, the last of all those of groups; neither is slow.
inline constexpr int group_teams = 256;

inline std::int64_t groups_of(std::int64_t teams) {
  return ceil_div<std::int64_t>(teams, group_teams);
}

/// Partial sums of teams, `values` numbers each, and a counter of the teams that are done.
template <Scalar Acc>
struct Partials {
  Acc* sums = nullptr;  ///< those of team t begin at t * values
  int* through = nullptr;
  int values = 0;
  int most_teams = 1 << 30;  ///< capacity of `sums`, in teams
};

/// Destination of a dot product in device memory, and its workspace.
template <Scalar Acc>
struct Dot {
  Acc* result = nullptr;     ///< null: no dot is computed
  bool with_itself = false;  ///< whether it is y' y
  Acc* sums = nullptr;       ///< sums of the teams, then of the groups
  int* through = nullptr;    ///< counter of groups, then one of teams for each group
  std::int64_t most_teams = 0;
};

}  // namespace heddle::detail::team_sums

namespace heddle {

/// Workspace of reductions: partial sums of all teams. Made once, for at most `most_numbers`
/// results at a time: a dot of m vectors has m (if more than eight, eight at a time), V' W of k and
/// m columns has k * m. It serves one operation at a time, in the order of its instance.
///
/// For the dot inside a product (SpmvPlan::apply_dot), pass the rows of A too: on a GPU a product
/// has more teams than a pass over vectors. Movable, not copyable.
template <ExecutionSpace Exec, Scalar Acc>
class VectorWorkspace {
 public:
  using execution_space = Exec;
  using accumulator_type = Acc;

  VectorWorkspace() = default;
  /// Allocates bytes() in the order of `exec`, without a wait. On a GPU these are an eighth (if
  /// warps have 64 lanes, a quarter) of a vector of `rows_of_product` entries, and a little more.
  explicit VectorWorkspace(const Exec& exec, int most_numbers = 1,
                           std::int64_t rows_of_product = 0);

  std::size_t bytes() const { return arena_.bytes(); }

  /// Partial sums of a kernel with `numbers` results. Throws Error if they do not fit.
  detail::team_sums::Partials<Acc> partials(int numbers) const {
    if (numbers > most_numbers_) {
      throw Error("the VectorWorkspace has room for " + std::to_string(most_numbers_) +
                      " numbers, not " + std::to_string(numbers),
                  "make it for as many numbers as the operation has results");
    }
    const std::int64_t teams = room_ / std::max(numbers, 1);
    return {sums_, through_, numbers, static_cast<int>(std::min<std::int64_t>(teams, 1 << 30))};
  }
  /// Workspace of a product that also computes a dot product into `result`.
  detail::team_sums::Dot<Acc> dot(Acc* result, bool with_itself) const {
    return {result, with_itself, sums_, through_, most_teams_of_product_};
  }

 private:
  detail::MoveOnly moves_;
  std::int64_t most_numbers_ = 0, room_ = 0, most_teams_of_product_ = 0;
  Arena<typename Exec::memory_space> arena_;
  int* through_ = nullptr;
  Acc* sums_ = nullptr;
};

}  // namespace heddle
