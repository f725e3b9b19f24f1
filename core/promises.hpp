// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// Properties that a user guarantees, so that they need not be checked: each promise saves an
/// inspection passes over the entries. None is set by default. A broken promise that nobody checks
/// (SpmvOptions::check_promises) is undefined behaviour.
struct Promises {
  /// Every column index is at least 0 and less than the number of columns.
  bool in_range = false;
  /// The columns of each row ascend; repeated ones follow each other.
  bool sorted = false;
};

}  // namespace heddle
