// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../core/arena.hpp"
#include "../../core/error.hpp"
#include "../../core/move_only.hpp"
#include "../../core/types.hpp"

/// Where sums over all teams of a launch lie: team_sums.hpp.
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

namespace heddle {

/// What reductions need: room for the sums of all teams. Made once, for at most so many numbers at
/// a time: a dot of m vectors makes m (of more than eight, eight at a time), V' W of k and m
/// columns k * m. It serves one operation at a time, in the order of the instance that they run on.
///
/// For the dot inside a product (SpmvPlan::apply_dot) it is made for the rows of A too: on a GPU a
/// product has more teams than a pass over vectors. Moves, does not copy.
template <ExecutionSpace Exec, Scalar Acc>
class VectorWorkspace {
 public:
  using execution_space = Exec;
  using accumulator_type = Acc;

  VectorWorkspace() = default;
  /// Allocates bytes(), on a GPU an eighth (where warps have 64 lanes a quarter) of a vector of
  /// `rows_of_product` entries and a little more, in the order of `exec`, and waits for nothing.
  explicit VectorWorkspace(const Exec& exec, int most_numbers = 1,
                           std::int64_t rows_of_product = 0);

  std::size_t bytes() const { return arena_.bytes(); }

  /// For kernels that make `numbers` numbers. Throws Error if there is no room for them.
  detail::team_sums::Partials<Acc> partials(int numbers) const {
    if (numbers > most_numbers_) {
      throw Error("a VectorWorkspace with room for " + std::to_string(most_numbers_) +
                      " numbers is asked for " + std::to_string(numbers),
                  "make it for as many numbers as the operation has results");
    }
    const std::int64_t teams = room_ / std::max(numbers, 1);
    return {sums_, through_, numbers, static_cast<int>(std::min<std::int64_t>(teams, 1 << 30))};
  }
  /// For a product that adds up a dot into `result`.
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
