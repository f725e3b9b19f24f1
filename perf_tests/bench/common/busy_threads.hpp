// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif

namespace heddle::bench {

/// Threads that compute without end while this lives, as another program on the machine would.
/// If OpenMP's threads are bound, they take its places in turn; a thread that starts others hands
/// its own place on to them.
class BusyThreads {
 public:
  explicit BusyThreads(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, i] {
        take_place(i);
        std::size_t turns = 0;
        while (!stops_.load(std::memory_order_relaxed)) ++turns;
        turns_ += turns;
      });
    }
  }
  ~BusyThreads() {
    stops_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

  /// Names the number and OpenMP's setting in a table; empty for none.
  static std::string description(int count) {
    if (count == 0) return "";
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    return std::to_string(count) + " busy threads beside, OMP_WAIT_POLICY " +
           (policy ? policy : "not set");
  }

 private:
  static void take_place([[maybe_unused]] int number) {
#if defined(_OPENMP) && defined(__linux__)
    if (omp_get_num_places() == 0) return;
    const int place = number % omp_get_num_places();
    std::vector<int> processors(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data());
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : processors) {
      if (processor < CPU_SETSIZE) CPU_SET(processor, &set);
    }
    sched_setaffinity(0, sizeof set, &set);  // if it fails, the thread stays where it is
#endif
  }

  std::atomic<bool> stops_ = false;
  std::atomic<std::size_t> turns_ = 0;  // read by nobody: the loops have a result
  std::vector<std::thread> threads_;
};

}  // namespace heddle::bench
