// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "host/processors.hpp"
#include "lanes.hpp"

namespace heddle::backends {

/// Threads of `exec` that run at the same time: on a CPU no more than it has processors for them,
/// otherwise all. If more threads than these wait for each other, they are very slow. If none
/// waits, shares for all threads take no longer (measured: 16 threads on two processors), so an
/// apply need not ask.
template <ExecutionSpace Exec>
int threads_at_once(const Exec& exec) {
  const int threads = exec.concurrency();
  if constexpr (runs_on_host<Exec>) {
    return threads == 1 ? 1 : std::min(threads, processors_available());
  } else {
    return threads;
  }
}

}  // namespace heddle::backends
