// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <vector>

#include "../../core/types.hpp"

namespace heddle::backends::emulated {

/// What was queued while a graph was recorded: copies of all that it runs with, but for the
/// instance.
template <class Exec>
using QueuedWork = std::vector<std::function<void(const Exec&)>>;

template <class Exec>
struct Recorder {
  const Exec& exec;
  QueuedWork<Exec>& work;
};

/// That of this thread, or null. It records what is queued on its own instance alone.
template <class Exec>
constinit inline thread_local const Recorder<Exec>* recorder = nullptr;

/// Runs work(exec) now, or at each replay of the graph that records `exec`.
template <class Exec, class Work>
void queue(const Exec& exec, const Work& work) {
  const Recorder<Exec>* const here = recorder<Exec>;
  if (here && kokkos_space(here->exec) == kokkos_space(exec)) {
    here->work.push_back(work);
  } else {
    work(exec);
  }
}

}  // namespace heddle::backends::emulated
