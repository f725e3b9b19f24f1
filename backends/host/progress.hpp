// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "memory.hpp"

namespace heddle::backends {

/// Pauses the core of a thread that polls.
inline void relax() {
#if defined(__x86_64__) && defined(__GNUC__)
  asm volatile("pause" ::: "memory");
#elif defined(__aarch64__) && defined(__GNUC__)
  asm volatile("isb" ::: "memory");
#endif
}

/// The processor core of a thread that waits: it pauses between polls, or is yielded.
struct Core {
  static void relax() { backends::relax(); }
  static void yield() { std::this_thread::yield(); }
};

/// How one thread of a CPU waits: it polls, since most waits are short, and after `most` polls
/// yields its core at every poll, since the thread that it waits for may have none. After waits
/// that yielded the next ones yield sooner. So all threads progress if there are more threads than
/// cores, but slowly: see threads_at_once. Between is Core; tests count its calls.
template <class Between>
class SpinThenYieldBy {
 public:
  static constexpr int least = 16, most = 2048;  // polls; 2048 take some 20 to 90 us

  /// Returns once ready() holds.
  template <class Ready>
  void wait(Ready&& ready) {
    int looks = 0;
    for (; !ready(); ++looks) {
      if (looks < patience_) {
        Between::relax();
      } else {
        Between::yield();
      }
    }
    patience_ = looks > patience_ ? std::max(patience_ / 2, least) : std::min(patience_ * 2, most);
  }

 private:
  int patience_ = most;
};
using SpinThenYield = SpinThenYieldBy<Core>;

/// The step that each thread of a group has reached, as it counts them itself. What a thread wrote
/// before it reached a step is visible to threads that awaited that step.
class ThreadSteps {
 public:
  /// In two cache lines of its own: processors fetch lines in pairs.
  struct alignas(128) Word {
    std::int64_t step;
  };

  ThreadSteps() = default;
  explicit ThreadSteps(Word* words) : words_(words) {}

  /// Resets all steps to 0. One thread calls it, before the launch.
  void clear(int threads) const {
    for (int t = 0; t < threads; ++t) HostMemory::post(&words_[t].step, std::int64_t{0});
  }
  void reach(int thread, std::int64_t step) const {
    HostMemory::publish(&words_[thread].step, step);
  }
  /// Waits until `thread` has reached `step`. It ends if `thread` runs or is done and does not wait
  /// for the caller before `step`: the schedule must guarantee that.
  void await(int thread, std::int64_t step, SpinThenYield& spin) const {
    spin.wait([&] { return HostMemory::acquire(&words_[thread].step) >= step; });
  }
  /// Barrier of threads 0 to `threads` - 1; the caller is number `me`. Each thread polls the others
  /// itself, which takes one transfer of a cache line after the last has arrived; a counter that
  /// all increment takes three.
  void barrier(int me, int threads, std::int64_t step, SpinThenYield& spin) const {
    reach(me, step);
    for (int t = 1; t < threads; ++t) await((me + t) % threads, step, spin);
  }

 private:
  Word* words_ = nullptr;
};

}  // namespace heddle::backends
