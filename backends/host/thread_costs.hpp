// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace heddle::backends {

/// Costs of several threads of a CPU, compared with one. The defaults are those of two threads of
/// an EPYC: docs/design/sptrsv.md.
struct ThreadCosts {
  double launch_seconds = 2.25e-6;     ///< to launch all threads, with or without a processor
  double hand_over_seconds = 0.12e-6;  ///< until a thread sees what another published
};

/// Bytes that a thread of a CPU reads and writes a second in its caches: a guess.
inline constexpr double cached_bytes_per_second = 25e9;

/// Whether one thread reads and writes so many bytes in less time than `threads` do, which take
/// `overhead_seconds` to begin and to wait for each other.
constexpr bool one_thread_is_faster(int threads, double bytes, double overhead_seconds) {
  return bytes / cached_bytes_per_second * (1 - 1.0 / threads) < overhead_seconds;
}

namespace detail {

struct KnownThreadCosts {
  std::mutex mutex;
  std::optional<ThreadCosts> assumed;
  std::map<int, ThreadCosts> measured;  ///< by number of threads
};
inline KnownThreadCosts& known_thread_costs() {
  static KnownThreadCosts costs;
  return costs;
}

}  // namespace detail

/// For tests, and for programs that want the same choices in every run: sets the costs that are
/// assumed; std::nullopt: costs are measured. Returns the costs assumed before.
inline std::optional<ThreadCosts> assume_thread_costs(std::optional<ThreadCosts> costs) {
  auto& known = detail::known_thread_costs();
  const std::lock_guard lock(known.mutex);
  return std::exchange(known.assumed, costs);
}

}  // namespace heddle::backends
