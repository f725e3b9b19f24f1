// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/scheme.hpp"
#include "../ordered/sweep.hpp"

namespace heddle {

/// Options of a loop. Every default is sensible.
struct WavefrontsOptions {
  /// The direction: from the first iteration to the last, or from the last to the first.
  SweepDirection sweep = SweepDirection::forward;
  /// The meaning of reading an item that is written later: an error, or its value before the loop.
  ReadsAhead ahead = ReadsAhead::error;
  /// Pins the scheme; by default one is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// CPU threads that the schedule is made for; 0: the execution space's threads, at most one for
  /// each processor. The loop runs on any number of threads.
  int threads = 0;
  /// The smallest predicted speed-up over one thread with which more threads are used; otherwise
  /// one is. Set it above 1 if iterations touch vectors, besides the items that they read, that
  /// another order scatters.
  double least_gain = 1;
};

}  // namespace heddle
