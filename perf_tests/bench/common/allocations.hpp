// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device_log.hpp"
#include "results.hpp"
#include "stopwatch.hpp"
#include "timing.hpp"

namespace heddle::bench {

/// Allocations and waits of `work` up to its end; its result is released after that.
template <class Work>
DeviceLog::Seen seen_in(const Kokkos::DefaultExecutionSpace& exec, const Work& work) {
  const DeviceLog log;
  [[maybe_unused]] const auto made = work();
  exec.fence("heddle::bench::logged");
  return log.seen();
}

/// Runs `work` once to log its allocations and waits, then, with its result released, times its
/// allocations alone, 5 to 20 times. The time includes their release if `with_release`.
template <class Work>
Allocations measure_allocations(const Kokkos::DefaultExecutionSpace& exec, bool with_release,
                                const Work& work) {
  constexpr int replays = 20, fewest_replays = 5;
  constexpr double budget_seconds = 0.2;
  const DeviceLog::Seen seen = seen_in(exec, work);
  Allocations allocations;
  allocations.waits = seen.waits;
  allocations.with_release = with_release;
  for (const DeviceLog::Step& step : seen.steps) {
    if (!step.allocates) continue;
    ++allocations.count;
    allocations.bytes += step.bytes;
  }
  Stopwatch stopwatch(exec);
  replay(exec, seen.steps);
  const double begin = host_seconds();
  for (int i = 0; i < replays; ++i) {
    if (i >= fewest_replays && host_seconds() - begin > budget_seconds) break;
    exec.fence("heddle::bench::replay");
    stopwatch.start();
    Replayed kept = replay(exec, seen.steps);
    if (with_release) kept.clear();
    allocations.time.seconds.push_back(stopwatch.stop());
  }
  return allocations;
}

}  // namespace heddle::bench
