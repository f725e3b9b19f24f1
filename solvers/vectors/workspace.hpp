// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "../../backends/launch_simd.hpp"
#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "tuning.hpp"

namespace heddle {

namespace detail::vectors {

/// What teams leave behind of their sums: `values` numbers each, and how many teams are through.
template <Scalar Acc>
struct Partials {
  Acc* sums = nullptr;  ///< of team t from t * values on
  int* through = nullptr;
  int values = 0;
  int most_teams = 1 << 30;  ///< that there is room for
};

/// Teams that a pass over `rows` rows is cut into.
template <ExecutionSpace Exec>
int teams_for(const Exec& exec, std::int64_t rows) {
  constexpr Tuning tuning = tuning_of<Exec>;
  const std::int64_t most = std::max<std::int64_t>(1, exec.concurrency() / tuning.threads);
  return static_cast<int>(std::clamp<std::int64_t>(ceil_div(rows, tuning.least_rows), 1, most));
}

}  // namespace detail::vectors

/// What reductions need: room for the sums of all teams. Made once, for at most so many numbers at
/// a time: a dot of m vectors makes m (of more than eight, eight at a time), V' W of k and m
/// columns k * m. It serves one operation at a time, in the order of the instance that they run on.
template <ExecutionSpace Exec, Scalar Acc>
class VectorWorkspace {
 public:
  using execution_space = Exec;
  using accumulator_type = Acc;

  VectorWorkspace() = default;
  /// Allocates bytes() in the order of `exec`, and waits for nothing.
  explicit VectorWorkspace(const Exec& exec, int most_numbers = 1) {
    // Many numbers of many teams would take the last one long to add up: fewer teams then.
    constexpr std::int64_t ample = std::int64_t{1} << 20;
    constexpr std::int64_t least_numbers = 8;
    most_numbers_ = std::max<std::int64_t>(most_numbers, least_numbers);
    const std::int64_t teams = std::clamp<std::int64_t>(
        ample / most_numbers_, 1,
        std::max(1, exec.concurrency() / detail::vectors::tuning_of<Exec>.threads));
    room_ = most_numbers_ * teams;
    arena_ = Arena<typename Exec::memory_space>(exec, "heddle::vectors::workspace",
                                                arena_bytes<int, Acc>(1, room_));
    through_ = arena_.template take<int>(1).data();
    sums_ = arena_.template take<Acc>(static_cast<std::size_t>(room_)).data();
    detail::fill(exec, "heddle::vectors::clear_workspace", through_, 1, 0);
  }

  std::size_t bytes() const { return arena_.bytes(); }

  /// For kernels that make `numbers` numbers. Throws Error if there is no room for them.
  detail::vectors::Partials<Acc> partials(int numbers) const {
    if (numbers > most_numbers_) {
      throw Error("a VectorWorkspace with room for " + std::to_string(most_numbers_) +
                      " numbers is asked for " + std::to_string(numbers),
                  "make it for as many numbers as the operation has results");
    }
    const std::int64_t teams = room_ / std::max(numbers, 1);
    return {sums_, through_, numbers, static_cast<int>(std::min<std::int64_t>(teams, 1 << 30))};
  }

 private:
  std::int64_t most_numbers_ = 0, room_ = 0;
  Arena<typename Exec::memory_space> arena_;
  int* through_ = nullptr;
  Acc* sums_ = nullptr;
};

}  // namespace heddle
