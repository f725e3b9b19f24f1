// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/host/processors.hpp"

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

}  // namespace heddle::test
