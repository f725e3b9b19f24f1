// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest_options.hpp"

namespace heddle::bench {

/// What `heddle-bench spmv` was asked for.
struct SpmvRequest : ContestOptions {
  int expected_applies = 1000;
};

}  // namespace heddle::bench
