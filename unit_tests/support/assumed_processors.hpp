// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/host/processors.hpp"
#include "../../backends/host/thread_costs.hpp"

namespace heddle::test {

/// Sets the number of processors within its scope; 0 counts those of the machine. Without it tests
/// assume one processor for every thread.
struct AssumedProcessors {
  explicit AssumedProcessors(int n) : before(backends::assume_processors(n)) {}
  ~AssumedProcessors() { backends::assume_processors(before); }
  AssumedProcessors(const AssumedProcessors&) = delete;
  AssumedProcessors& operator=(const AssumedProcessors&) = delete;

  const int before;
};

/// Sets the costs of threads within its scope; none: those of the machine are measured.
struct AssumedThreadCosts {
  explicit AssumedThreadCosts(std::optional<backends::ThreadCosts> costs)
      : before(backends::assume_thread_costs(costs)) {}
  ~AssumedThreadCosts() { backends::assume_thread_costs(before); }
  AssumedThreadCosts(const AssumedThreadCosts&) = delete;
  AssumedThreadCosts& operator=(const AssumedThreadCosts&) = delete;

  const std::optional<backends::ThreadCosts> before;
};

}  // namespace heddle::test
