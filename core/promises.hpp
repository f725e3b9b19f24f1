// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// What a user vouches for, so that nobody has to look: each promise spares an inspection passes
/// over the entries. None is made unless it is set. What a broken promise leads to is undefined,
/// where nobody checks it: SpmvOptions::check_promises does.
struct Promises {
  /// Every column index is at least 0 and less than the number of columns.
  bool in_range = false;
  /// In each row the columns ascend; repeated ones stand side by side.
  bool sorted = false;
};

}  // namespace heddle
