// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/loops.hpp"
#include "loop.hpp"

namespace heddle::detail::order {

template <Ordinal O>
void check_loop(O n, SweepDirection sweep) {
  if (n < 0) {
    throw Error("a loop of " + std::to_string(n) + " iterations",
                "give the number of iterations, 0 or more");
  }
  if (sweep == SweepDirection::symmetric) {
    throw Error("one loop cannot go forward and backward",
                "make one of SweepDirection::forward and one of SweepDirection::backward");
  }
}

/// What reads(i, visit) is given for `visit`: keeps the first item that iteration i may not read.
template <class Loop>
struct KeepWrongItem {
  using O = decltype(Loop::iterations);

  const Loop& loop;
  O i;
  bool& found;
  std::int64_t& wrong;

  HEDDLE_NO_EXECUTION_CHECK
  template <class Item>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Item& item) const {
    const auto j = static_cast<std::int64_t>(item);
    const bool inside = j >= 0 && j < static_cast<std::int64_t>(loop.iterations);
    const bool allowed = inside && (loop.ahead == ReadsAhead::old_value || static_cast<O>(j) == i ||
                                    loop.before(static_cast<O>(j), i));
    if (found || allowed) return;
    found = true;
    wrong = j;
  }
};

template <class Loop>
struct FindWrongItem {
  Loop loop;
  std::int64_t iteration;

  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t& wrong) const {
    bool found = false;
    const auto i = static_cast<decltype(loop.iterations)>(iteration);
    loop.reads(i, KeepWrongItem<Loop>{loop, i, found, wrong});
  }
};

/// Throws Error if the search for levels came upon an iteration that reads what it may not, naming
/// both.
template <ExecutionSpace Exec, class Loop>
void check_reads(const Exec& exec, const LevelSums& sums, const Loop& loop) {
  if (sums.bad == LevelSums::nowhere) return;
  std::int64_t item = 0;
  Kokkos::parallel_reduce("heddle::order::wrong_item", range_policy(exec, 1),
                          FindWrongItem<Loop>{loop, sums.bad}, item);
  const std::string reads =
      "iteration " + std::to_string(sums.bad) + " reads item " + std::to_string(item);
  if (item < 0 || item >= static_cast<std::int64_t>(loop.iterations)) {
    throw Error(
        reads + ", which none of the " + std::to_string(loop.iterations) + " iterations writes",
        "leave it out: items are those that the loop writes, from 0");
  }
  throw Error(reads + ", which the loop writes later",
              "say ReadsAhead::old_value if it reads what stood there before the loop; else turn "
              "the sweep round, or leave the item out");
}

}  // namespace heddle::detail::order
