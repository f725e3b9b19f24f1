// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "host/processors.hpp"
#include "lanes.hpp"

namespace heddle::backends {

/// Threads of `exec` that run at the same time: on a CPU no more than there are processors for
/// them, elsewhere all. Work that is dealt to more than these waits for a turn; threads that wait
/// for each other crawl.
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
