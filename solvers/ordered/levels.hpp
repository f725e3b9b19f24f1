// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../backends/loops.hpp"
#include "../../core/error.hpp"
#include "levels_on_lanes.hpp"
#include "levels_on_threads.hpp"
#include "loop.hpp"

namespace heddle::detail::ordered {

/// Whether loops run as threads of one launch that wait for each other.
template <ExecutionSpace Exec>
inline constexpr bool on_threads =
    backends::runs_on_host<Exec> && backends::waits_make_progress<Exec>;

/// The level of every iteration of a loop: 0 if it waits for none, else one above the highest that
/// it waits for.
///
/// Source: J. Park et al., "Sparsifying synchronization for high-performance shared-memory sparse
/// triangular solver", ISC 2014, for levels in one sweep.
template <ExecutionSpace Exec>
class Levels {
 public:
  using Space = typename Exec::memory_space;
  using Array = typename Arena<Space>::template Array<int>;

  /// One allocation beside those of the search; waits. The loop reads what it may: who does not
  /// know that asks find_levels_on_threads or find_levels_on_device, and check_reads.
  template <Ordinal O, class Reads>
  Levels(const Exec& exec, const Loop<O, Reads>& loop)
      : memory_(exec, "heddle::ordered::level",
                arena_bytes<int>(static_cast<std::size_t>(loop.iterations))),
        of_(memory_.template take<int>(static_cast<std::size_t>(loop.iterations))),
        count_(find(exec, loop).levels) {}

  /// Of each iteration.
  Array of() const { return of_; }
  int count() const { return count_; }

 private:
  template <Ordinal O, class Reads>
  LevelSums find(const Exec& exec, const Loop<O, Reads>& loop) const {
    if constexpr (on_threads<Exec>) {
      return find_levels_on_threads(exec, loop, of_.data(), nullptr);
    } else {
      return find_levels_on_device(exec, loop, of_.data());
    }
  }

  Arena<Space> memory_;
  Array of_;
  int count_;
};

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
  Kokkos::parallel_reduce("heddle::ordered::wrong_item", range_policy(exec, 1),
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

}  // namespace heddle::detail::ordered
