// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/scheme.hpp"
#include "../ordered/sweep.hpp"

namespace heddle {

/// What a user may say about a loop; every default is sensible.
struct WavefrontsOptions {
  /// From the first iteration to the last, or from the last to the first.
  SweepDirection sweep = SweepDirection::forward;
  /// What reading an item means that is written later: an error, or its value before the loop.
  ReadsAhead ahead = ReadsAhead::error;
  /// Pins the scheme; by default one is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// Threads of a CPU that the schedule is made for; 0: as many as the execution space has and
  /// have a processor each. It runs on any number.
  int threads = 0;
  /// How many times as fast as one thread they must be predicted to be, or one is taken: more than
  /// 1 where iterations touch vectors that another order scatters, beside the items they read.
  double least_gain = 1;
};

}  // namespace heddle
