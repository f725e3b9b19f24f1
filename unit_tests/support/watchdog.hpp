// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace heddle::test {

/// Ends the program and names the work that hung if neither progress() nor the end of its scope is
/// reached within five minutes: a kernel that waits forever cannot be stopped otherwise. This is no
/// bound on speed, so one watchdog watches work of seconds on an idle machine.
class Watchdog {
 public:
  explicit Watchdog(const char* what, std::chrono::seconds patience = std::chrono::minutes(5))
      : thread_([=, this] {
          std::unique_lock lock(mutex_);
          for (int seen = steps_; !done_; seen = steps_) {
            if (changed_.wait_for(lock, patience, [&] { return done_ || steps_ != seen; })) {
              continue;
            }
            std::fprintf(stderr, "watchdog: %s made no progress for %lld s, after %d steps\n", what,
                         static_cast<long long>(patience.count()), seen);
            std::_Exit(EXIT_FAILURE);
          }
        }) {}
  ~Watchdog() {
    change([this] { done_ = true; });
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Another step is done: the timeout restarts.
  void progress() {
    change([this] { ++steps_; });
  }

 private:
  template <class F>
  void change(const F& f) {
    {
      const std::lock_guard lock(mutex_);
      f();
    }
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  int steps_ = 0;
  std::thread thread_;  // last: it uses the others
};

}  // namespace heddle::test
