// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "thread_schedule.hpp"

namespace heddle::detail::order {

/// Gives the tasks of a schedule the waits that they need and that nothing else implies.
///
/// needed[task * threads + t] is one more than the last stage of thread t whose task this one
/// depends on, or 0. A wait is left out if the thread itself waited that far before, or if it
/// follows from another: what a task waits for has itself waited for others, which have waited for
/// others. For that every task keeps how far all threads are known to have come when it begins.
/// Waits of a task are taken from the latest stage down, since none implies a later one; so no wait
/// is left that the others imply.
///
/// tasks * threads words of memory while it runs. Source: J. Park et al., "Sparsifying
/// synchronization for high-performance shared-memory sparse triangular solver", ISC 2014, who drop
/// the waits that two others imply; here a chain of any length does.
inline void sparsify(ThreadSchedule& schedule, const std::vector<int>& needed) {
  const auto threads = static_cast<std::size_t>(schedule.threads);
  const auto tasks = static_cast<std::size_t>(schedule.tasks());
  schedule.barriers = false;
  schedule.wait_begin.assign(1, 0);
  schedule.wait_begin.reserve(tasks + 1);
  std::vector<int> known(tasks * threads);
  std::vector<std::int64_t> last(threads, -1);  // task of each thread
  std::vector<Wait> wanted;
  for (int stage = 0; stage < schedule.stages(); ++stage) {
    const std::int64_t first = schedule.stage_begin[static_cast<std::size_t>(stage)];
    const std::int64_t stop = schedule.stage_begin[static_cast<std::size_t>(stage) + 1];
    for (std::int64_t task = first; task < stop; ++task) {
      const auto me = static_cast<std::size_t>(task - first);
      int* const now = known.data() + static_cast<std::size_t>(task) * threads;
      const auto learn = [&](std::int64_t other) {
        const int* const then = known.data() + static_cast<std::size_t>(other) * threads;
        for (std::size_t t = 0; t < threads; ++t) now[t] = std::max(now[t], then[t]);
      };
      if (last[me] >= 0) learn(last[me]);
      const int* const need = needed.data() + static_cast<std::size_t>(task) * threads;
      wanted.clear();
      for (std::size_t t = 0; t < threads; ++t) {
        if (t != me && need[t] > now[t]) wanted.push_back({static_cast<int>(t), need[t]});
      }
      std::stable_sort(wanted.begin(), wanted.end(),
                       [](const Wait& a, const Wait& b) { return a.stage > b.stage; });
      for (const Wait& wait : wanted) {
        int& reached = now[static_cast<std::size_t>(wait.thread)];
        if (wait.stage <= reached) continue;
        schedule.waits.push_back(wait);
        reached = wait.stage;
        learn(schedule.stage_begin[static_cast<std::size_t>(wait.stage) - 1] + wait.thread);
      }
      now[me] = stage;  // its own earlier tasks are done
      last[me] = task;
      schedule.wait_begin.push_back(static_cast<std::int64_t>(schedule.waits.size()));
    }
  }
}

}  // namespace heddle::detail::order
