// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::order {

/// Places that one warp solves at once.
struct Task {
  std::int64_t first;
  int rows;
};

}  // namespace heddle::detail::order
