// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <string>
#include <vector>

#include "progress.hpp"
#include "results.hpp"
#include "stopwatch.hpp"

namespace heddle::bench {

struct TimingOptions {
  /// At most.
  int repetitions = 100;
  /// Nor is a contestant repeated whose median is known that well: Samples::median_error().
  double precision = 0;
  /// A contestant that has used this much is not repeated further, beyond ten times.
  double budget_seconds = 2;
  /// Overwrite the caches before every repetition.
  bool flush = false;
  /// Whether an apply is long, as a whole solve: nothing is warmed up, two repetitions are enough
  /// (but the row says so), and none is timed by the host's clock or behind each other.
  bool long_applies = false;
  std::size_t cache_bytes = 0;
};

/// One contestant on the track: `apply` enqueues its work.
struct Runner {
  std::string name;
  std::function<void()> apply;
  Samples time, queued, latency;
};

/// The host's steady clock.
double host_seconds();

/// Times all runners with one stopwatch. They take turns in blocks of ten repetitions, so that a
/// change of the clocks or of the load meets all of them, each round in another order; the applies
/// in front of a block are not counted, so that a runner finds its own data in the caches (unless
/// they are flushed), as a solver does that applies one matrix again and again.
///
/// A block times single applies (the queue empty before), then single applies by the host's clock,
/// then several behind each other: ten, or fewer where these take more than 10 ms, as often in the
/// first block and once in others. What is slow once is one of ten times then, and moves no median.
///
/// Returns the times of a reference, a triad in the caches that is the same each time, before every
/// block: how steady the machine was meanwhile.
Samples time_in_turns(const Kokkos::DefaultExecutionSpace& exec, Clock& clock,
                      std::vector<Runner>& runners, const TimingOptions& options,
                      Progress& progress);

/// Times one runner alone: after an apply that is not counted, 20 applies, or what 0.1 s hold, but
/// at least 5; and no more than two once the fastest of them took longer than `too_slow_seconds`.
TimedScheme time_alone(const Kokkos::DefaultExecutionSpace& exec,
                       const std::function<void()>& apply, double too_slow_seconds);

}  // namespace heddle::bench
