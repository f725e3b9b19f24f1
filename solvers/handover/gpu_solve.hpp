// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/tickets.hpp"
#include "../../core/move_only.hpp"
#include "../../core/types.hpp"
#include "solved_values.hpp"

namespace heddle::detail::handover {

/// Before the first launch that takes them.
template <ExecutionSpace Exec>
void clear_tickets(const Exec& exec, const backends::Tickets& tickets) {
  Kokkos::parallel_for("heddle::handover::no_tickets", range_policy(exec, 1),
                       backends::ClearTickets{tickets});
}

/// What a solve on a GPU needs beside the triangle: solved values, and tickets. Moves, does not
/// copy, and so does each executor that has one: two that shared flags and tickets would wait for
/// ever.
template <ExecutionSpace Exec, Scalar V>
class GpuSolve {
 public:
  GpuSolve() = default;

  /// Room for `room` right-hand sides at once. Two allocations, in the order of `exec`; no wait.
  GpuSolve(const Exec& exec, std::int64_t places, int room)
      : solved_(exec, places, room),
        memory_(exec, "heddle::handover::tickets", arena_bytes<std::uint32_t>(1)),
        tickets_{memory_.template take<std::uint32_t>(1).data()} {
    clear_tickets(exec, tickets_);
  }

  /// Queues the launches of one solve, launches(values, tickets), for `vectors` vectors.
  ///
  /// A launch that is refused throws, and leaves values that nobody will empty, and tickets that
  /// were taken; then the next solve clears all of them first. (One that fails on the device ends
  /// the program's use of it, and with it the plan's.)
  template <class Launches>
  void run(const Exec& exec, int vectors, const Launches& launches) {
    if (unfinished_) {
      solved_.clear(exec);
      clear_tickets(exec, tickets_);
    }
    unfinished_ = true;
    launches(solved_.of(vectors), tickets_);
    unfinished_ = false;
  }

  std::size_t bytes() const { return solved_.bytes() + memory_.bytes(); }

 private:
  heddle::detail::MoveOnly moves_;
  SolvedValuesStorage<Exec, V> solved_;
  Arena<typename Exec::memory_space> memory_;
  backends::Tickets tickets_;
  bool unfinished_ = false;
};

}  // namespace heddle::detail::handover
