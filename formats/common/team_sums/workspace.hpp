// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../../core/arena.hpp"
#include "../../../core/error.hpp"
#include "../../../core/move_only.hpp"
#include "places.hpp"

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
