// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../ordered/loop.hpp"
#include "../ordered/schedule_on_threads.hpp"

namespace heddle::detail::wavefronts {

/// Items read that another thread of the schedule has written, or writes. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
std::int64_t count_foreign_reads(const Exec& exec, const ordered::Loop<O, Reads>& loop,
                                 const O* iterations, const ordered::ThreadSchedule& schedule) {
  const auto n = static_cast<std::size_t>(loop.iterations);
  Arena<Kokkos::HostSpace> memory(exec, "heddle::wavefronts::thread_of", arena_bytes<int>(n));
  int* const thread_of = memory.take<int>(n).data();
  Kokkos::parallel_for("heddle::wavefronts::thread_of", range_policy(exec, schedule.stages()),
                       [&schedule, iterations, thread_of](std::int64_t stage) {
                         const auto* const begin = schedule.stage_begin.data() + stage;
                         for (std::int64_t task = begin[0]; task < begin[1]; ++task) {
                           const auto* const edge = schedule.task_begin.data() + task;
                           for (std::int64_t p = edge[0]; p < edge[1]; ++p) {
                             thread_of[iterations[p]] = static_cast<int>(task - begin[0]);
                           }
                         }
                       });
  std::int64_t foreign = 0;
  Kokkos::parallel_reduce(
      "heddle::wavefronts::foreign_reads", range_policy(exec, loop.iterations),
      [loop, thread_of](std::int64_t i, std::int64_t& sum) {
        const auto count = [&](O j) { sum += thread_of[j] != thread_of[i]; };
        loop.visit(static_cast<O>(i), count, count);
      },
      foreign);
  return foreign;
}

}  // namespace heddle::detail::wavefronts
