// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <utility>

#include "../lanes.hpp"

namespace heddle::backends {

/// While one that is `wanted` lives, launches and detail::parallel_for on a CPU by the thread that
/// made it run on that thread, without a parallel region: all teams in order, with the same bits.
/// For work that ends before other threads would have begun. On devices other than a CPU it has no
/// effect.
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

namespace detail {
inline std::atomic<bool> small_plans_take_one_thread = true;
}  // namespace detail

/// For tests, whose matrices are small, of what threads do together: whether plans take one thread
/// for small matrices, as they do by default. Returns what was set before.
inline bool let_small_plans_take_one_thread(bool take) {
  return detail::small_plans_take_one_thread.exchange(take);
}

/// Whether a launch on `exec` is a plain loop on the calling thread.
template <BackendIs<Host> Exec>
bool runs_on_one_thread(const Exec& exec) {
  return OneThread::is_wanted() || exec.concurrency() == 1;
}

}  // namespace heddle::backends
