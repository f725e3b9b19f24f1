// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <vector>

#include "../../core/types.hpp"

namespace heddle::backends::emulated {

/// Work that was queued while a graph was recorded: copies of all its arguments but the instance.
template <class Exec>
using QueuedWork = std::vector<std::function<void(const Exec&)>>;

/// While it lives, work that this thread queues on its instance is kept instead of run.
template <class Exec>
class Recorder {
 public:
  Recorder(const Exec& exec, QueuedWork<Exec>& work) : exec_(exec), work_(work) { here_ = this; }
  ~Recorder() { here_ = nullptr; }
  Recorder(const Recorder&) = delete;

  /// The recorder of the calling thread, or null.
  static const Recorder* here() { return here_; }
  bool records(const Exec& exec) const { return kokkos_space(exec_) == kokkos_space(exec); }
  template <class Work>
  void add(const Work& work) const {
    work_.push_back(work);
  }

 private:
  static constinit inline thread_local const Recorder* here_ = nullptr;

  const Exec& exec_;
  QueuedWork<Exec>& work_;
};

/// Runs work(exec) now, or at each replay of the graph that records `exec`.
template <class Exec, class Work>
void queue(const Exec& exec, const Work& work) {
  const Recorder<Exec>* const recorder = Recorder<Exec>::here();
  if (recorder && recorder->records(exec)) {
    recorder->add(work);
  } else {
    work(exec);
  }
}

}  // namespace heddle::backends::emulated
