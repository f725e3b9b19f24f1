// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::test {

/// A traced solve, on the host. The steps that a step needs are all before it, or all after it.
struct SolveTrace {
  /// Begin and end of each step in ns, from the begin of the first.
  std::vector<std::int64_t> begin_ns, end_ns;
  std::vector<std::int64_t> step_of_row;
  bool groups = false;  ///< whether steps are groups of rows, and not rows
};

}  // namespace heddle::test
