// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace heddle::test {

/// Ends the program, saying what hung, unless it goes out of scope in time: a kernel that waits
/// for ever can be stopped in no other way.
class Watchdog {
 public:
  explicit Watchdog(const char* what, std::chrono::seconds patience = std::chrono::seconds(60))
      : thread_([=, this] {
          std::unique_lock lock(mutex_);
          if (done_changed_.wait_for(lock, patience, [this] { return done_; })) return;
          std::fprintf(stderr, "watchdog: %s still waits after %lld s\n", what,
                       static_cast<long long>(patience.count()));
          std::_Exit(EXIT_FAILURE);
        }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    done_changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace heddle::test
