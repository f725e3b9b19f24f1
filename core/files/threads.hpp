// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "../from_threads.hpp"
#include "../integers.hpp"

namespace heddle::files {

inline int thread_count(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Runs body(i) for every i in [0, count) on up to `threads` threads, including the calling one,
/// and returns when all are done. The first exception ends the loop and is thrown again here.
/// Indices are started in ascending order and finished once started, so that of several exceptions
/// the one with the lowest index is thrown, for any number of threads.
template <class Body>
void for_each_index(int threads, std::size_t count, const Body& body) {
  std::atomic<std::size_t> next{0};
  detail::FromThreads thrown;
  auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      if (!thrown.run(static_cast<std::int64_t>(i), [&] { body(i); })) next = count;
    }
  };
  std::vector<std::thread> others;
  const std::size_t helpers = std::min(static_cast<std::size_t>(threads), count);
  try {
    others.reserve(helpers);
    for (std::size_t t = 1; t < helpers; ++t) others.emplace_back(work);
  } catch (const std::exception&) {
    // The system allows no more threads, or has no memory for them: those that run do the work.
  }
  work();
  for (std::thread& other : others) other.join();
  thrown.rethrow();
}

/// Runs body(begin, end) over [0, count) in ranges of equal size: several for each thread, and none
/// much smaller than `grain`.
template <class Body>
void for_each_range(int threads, std::size_t count, std::size_t grain, const Body& body) {
  if (count == 0) return;
  const std::size_t most = threads > 1 ? static_cast<std::size_t>(threads) * 4 : 1;
  const std::size_t ranges = std::clamp(count / grain, std::size_t{1}, most);
  const std::size_t length = ceil_div(count, ranges);
  for_each_index(threads, ceil_div(count, length),
                 [&](std::size_t i) { body(i * length, std::min(count, (i + 1) * length)); });
}

}  // namespace heddle::files
