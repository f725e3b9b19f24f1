// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace heddle::backends {

/// What several threads of a CPU cost that one does not. Without another word those of two threads
/// of an EPYC: docs/design/wavefronts.md.
struct ThreadCosts {
  double launch_seconds = 2.25e-6;  ///< of a launch of all threads, those without a processor too
  double hand_over_seconds = 0.12e-6;  ///< until a thread has seen what another published
};

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

/// For tests, and for programs that want the same choices in every run: costs that are assumed from
/// now on; none: those that are measured. Returns what was assumed before.
inline std::optional<ThreadCosts> assume_thread_costs(std::optional<ThreadCosts> costs) {
  auto& known = detail::known_thread_costs();
  const std::lock_guard lock(known.mutex);
  return std::exchange(known.assumed, costs);
}

}  // namespace heddle::backends
