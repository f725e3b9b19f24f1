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
  /// Most repetitions of a contestant.
  int repetitions = 100;
  /// Relative error of the median (Samples::median_error()) at which repetition ends.
  double precision = 0;
  /// Seconds after which a contestant is not repeated further, beyond ten times.
  double budget_seconds = 2;
  /// Whether the caches are overwritten before every repetition.
  bool flush = false;
  /// Whether an apply is long, such as a whole solve: nothing is warmed up, two repetitions are
  /// enough (but the row says so), and none is queued or timed by the host's clock.
  bool long_applies = false;
  std::size_t cache_bytes = 0;
};

/// A contestant that is timed: `apply` enqueues its work.
struct Runner {
  std::string name;
  std::function<void()> apply;
  Samples time, queued, latency;
};

/// Seconds of the host's steady clock.
double host_seconds();

/// Times all runners with one stopwatch. They take turns in blocks of ten repetitions, in another
/// order each round, so that a change of the clocks or of the load affects all of them. Applies
/// before a block are not counted, so that a runner finds its own data in the caches (unless they
/// are flushed), as in a solver that applies one matrix repeatedly.
///
/// A block times single applies on an empty queue, then single applies by the host's clock, then
/// queues of ten applies, or of fewer if these take more than 10 ms. The first block times ten
/// queues, and others one each: a single slow queue then moves no median.
///
/// Returns the times of the reference work, a constant triad in the caches, before every block:
/// they show how steady the machine was.
Samples time_in_turns(const Kokkos::DefaultExecutionSpace& exec, Clock& clock,
                      std::vector<Runner>& runners, const TimingOptions& options,
                      Progress& progress);

/// Times one runner alone: after an apply that is not counted, 20 applies, or those of 0.1 s, but
/// at least 5. It stops from the second on if the fastest took longer than `too_slow_seconds`.
TimedScheme time_alone(const Kokkos::DefaultExecutionSpace& exec,
                       const std::function<void()>& apply, double too_slow_seconds);

}  // namespace heddle::bench
