// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../lanes.hpp"

namespace heddle::backends {

/// While one that is `wanted` lives, what the thread that made it launches on a CPU runs on that
/// thread, without a parallel region: all teams in order, so that they give the same bits. For work
/// that is over before other threads would have begun. Elsewhere than on a CPU it says nothing.
class OneThread {
 public:
  explicit OneThread(bool wanted) : before_(is_wanted_) { is_wanted_ = wanted || before_; }
  ~OneThread() { is_wanted_ = before_; }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

  static bool is_wanted() { return is_wanted_; }

 private:
  static constinit inline thread_local bool is_wanted_ = false;
  bool before_;
};

/// Whether a launch on `exec` is a plain loop of the thread that calls.
template <BackendIs<Host> Exec>
bool runs_on_one_thread(const Exec& exec) {
  return OneThread::is_wanted() || exec.concurrency() == 1;
}

}  // namespace heddle::backends
