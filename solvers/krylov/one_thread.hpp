// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/host/thread_costs.hpp"

namespace heddle::detail::krylov {

/// Bytes that a thread of a CPU reads and writes a second in its caches: a guess.
inline constexpr double cached_bytes_per_second = 25e9;
/// Hand-overs that a launch costs whose threads read what others wrote in the launch before.
inline constexpr double hand_overs_per_launch = 3;

/// The threads of a CPU that a solver runs on, and what they cost; 1 elsewhere.
struct SolverThreads {
  int at_once = 1;
  bool more_than_processors = false;
  backends::ThreadCosts costs = {};
};

/// Whether steps of `launches` launches, which move so many bytes, are over sooner on one of them.
/// Bits do not depend on it.
inline bool one_thread_is_faster(const SolverThreads& threads, double bytes, int launches) {
  if (threads.at_once == 1) return threads.more_than_processors;
  const double saved = bytes / cached_bytes_per_second * (1 - 1.0 / threads.at_once);
  return saved < launches * (threads.costs.launch_seconds +
                             hand_overs_per_launch * threads.costs.hand_over_seconds);
}

}  // namespace heddle::detail::krylov
