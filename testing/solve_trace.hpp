// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::test {

/// A traced solve, on the host. A step needs steps that all lie before it, or all behind it.
struct SolveTrace {
  /// Of each step, from when the first was begun.
  std::vector<std::int64_t> begin_ns, end_ns;
  std::vector<std::int64_t> step_of_row;
  bool groups = false;  ///< whether steps are groups of rows, and not rows
};

}  // namespace heddle::test
