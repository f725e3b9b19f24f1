// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/host/processors.hpp"
#include "../../backends/host/thread_costs.hpp"

namespace heddle::test {

/// So many processors are assumed while it lives; with 0 those of the machine are counted. Without
/// it tests assume that every thread has one.
struct AssumedProcessors {
  explicit AssumedProcessors(int n) : before(backends::assume_processors(n)) {}
  ~AssumedProcessors() { backends::assume_processors(before); }
  AssumedProcessors(const AssumedProcessors&) = delete;
  AssumedProcessors& operator=(const AssumedProcessors&) = delete;

  const int before;
};

/// The same of what threads cost; none: those of the machine are measured.
struct AssumedThreadCosts {
  explicit AssumedThreadCosts(std::optional<backends::ThreadCosts> costs)
      : before(backends::assume_thread_costs(costs)) {}
  ~AssumedThreadCosts() { backends::assume_thread_costs(before); }
  AssumedThreadCosts(const AssumedThreadCosts&) = delete;
  AssumedThreadCosts& operator=(const AssumedThreadCosts&) = delete;

  const std::optional<backends::ThreadCosts> before;
};

}  // namespace heddle::test
