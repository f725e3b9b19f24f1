// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest_options.hpp"

namespace heddle::bench {

/// Options of `heddle-bench convert`.
struct ConvertRequest : ContestOptions {
  /// Rows and columns of the blocks that other libraries convert to, and Heddle too.
  int block = 4;
  /// Whether a plan checks for columns out of range, which other libraries do not.
  bool check = false;
};

}  // namespace heddle::bench
