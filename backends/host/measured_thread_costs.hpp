// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <limits>
#include <mutex>

#include "../threads_at_once.hpp"
#include "one_thread.hpp"
#include "progress.hpp"
#include "thread_costs.hpp"
#include "threads.hpp"

namespace heddle::backends {

namespace detail {

/// The shortest of `repetitions` runs of run(), which returns seconds.
template <class Run>
double least_seconds(int repetitions, const Run& run) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) least = std::min(least, run());
  return least;
}

/// Takes about 100 us if threads spin, and a millisecond if each launch wakes them.
template <BackendIs<Host> Exec>
ThreadCosts measure_thread_costs(const Exec& exec) {
  constexpr int launches = 30, batches = 8, turns = 16;
  ThreadCosts costs;
  const auto launch = [&](const auto& kernel) {
    launch_threads(exec, "heddle::threads::costs", exec.concurrency(), kernel);
  };
  costs.launch_seconds = least_seconds(launches, [&] {
    const Kokkos::Timer timer;
    launch([](int, int) {});
    return timer.seconds();
  });
  ThreadSteps::Word words[2];
  const ThreadSteps progress(words);
  costs.hand_over_seconds = least_seconds(batches, [&] {
    double seconds = 0;
    progress.clear(2);
    launch([&](int me, int threads) {
      if (me > 1 || threads < 2) return;
      SpinThenYield spin;
      const auto take_turns = [&](int first, int stop) {
        for (int turn = first; turn < stop; ++turn) {
          if (me == 0) progress.reach(0, turn);
          progress.await(1 - me, turn, spin);
          if (me == 1) progress.reach(1, turn);
        }
      };
      take_turns(1, 2);  // until both threads run
      const Kokkos::Timer timer;
      take_turns(2, 2 + turns);
      if (me == 0) seconds = timer.seconds() / (2 * turns);
    });
    return seconds;
  });
  return costs;
}

}  // namespace detail

/// The assumed costs, or those that the program's first call for as many threads measured; if only
/// one thread runs at a time nothing is measured. Launches, and waits for the launches.
template <BackendIs<Host> Exec>
ThreadCosts thread_costs(const Exec& exec) {
  auto& known = detail::known_thread_costs();
  const std::lock_guard lock(known.mutex);
  if (known.assumed) return *known.assumed;
  if (runs_on_one_thread(exec) || threads_at_once(exec) == 1) return {};
  const auto [at, is_new] = known.measured.try_emplace(exec.concurrency());
  if (is_new) at->second = detail::measure_thread_costs(exec);
  return at->second;
}

}  // namespace heddle::backends
