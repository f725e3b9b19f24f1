// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "memory.hpp"

namespace heddle::backends {

/// A moment's rest for the core of a thread that looks again and again.
inline void relax() {
#if defined(__x86_64__) && defined(__GNUC__)
  asm volatile("pause" ::: "memory");
#elif defined(__aarch64__) && defined(__GNUC__)
  asm volatile("isb" ::: "memory");
#endif
}

/// How one thread of a CPU waits: it looks again and again, since most waits are short, and after a
/// while gives its core away at every look, since the thread that it waits for may have none. Waits
/// that came to that make the next ones give up looking sooner. So all go on where threads are more
/// than cores, but slowly: see threads_at_once.
class SpinThenYield {
 public:
  /// Returns once ready() holds.
  template <class Ready>
  void wait(const Ready& ready) {
    int looks = 0;
    for (; !ready(); ++looks) {
      if (looks < patience_) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
    patience_ = looks > patience_ ? std::max(patience_ / 2, least) : std::min(patience_ * 2, most);
  }

 private:
  static constexpr int least = 16, most = 2048;  // looks; 2048 take some 20 to 90 us
  int patience_ = most;
};

/// How far each thread of a group has come, in steps that it counts itself. What a thread wrote
/// before it reached a step is seen by those that awaited that step.
class Progress {
 public:
  /// In two cache lines of its own: processors fetch lines in pairs.
  struct alignas(128) Word {
    std::int64_t step;
  };

  Progress() = default;
  explicit Progress(Word* words) : words_(words) {}

  /// Before the launch, by one thread.
  void clear(int threads) const {
    for (int t = 0; t < threads; ++t) HostMemory::post(&words_[t].step, std::int64_t{0});
  }
  void reach(int thread, std::int64_t step) const {
    HostMemory::publish(&words_[thread].step, step);
  }
  /// Ends if `thread` runs or is done and its way to `step` does not lead through a wait for the
  /// caller: whoever made the schedule sees to that.
  void await(int thread, std::int64_t step, SpinThenYield& spin) const {
    spin.wait([&] { return HostMemory::acquire(&words_[thread].step) >= step; });
  }
  /// The barrier of threads 0 to `threads` - 1, of which the caller is `me`. Each looks at the
  /// others itself: one transfer of a cache line after the last has come, where a counter that all
  /// raise takes three.
  void barrier(int me, int threads, std::int64_t step, SpinThenYield& spin) const {
    reach(me, step);
    for (int t = 1; t < threads; ++t) await((me + t) % threads, step, spin);
  }

 private:
  Word* words_ = nullptr;
};

}  // namespace heddle::backends
