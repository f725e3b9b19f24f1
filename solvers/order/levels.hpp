// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "levels_on_device.hpp"
#include "levels_on_threads.hpp"

namespace heddle::detail::order {

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
      : memory_(exec, "heddle::order::level",
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

}  // namespace heddle::detail::order
