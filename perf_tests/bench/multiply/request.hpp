// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest_options.hpp"

namespace heddle::bench {

/// What `heddle-bench multiply` was asked for.
struct MultiplyRequest : ContestOptions {
  /// aa: A A; ap: A P; rap: R A P, where P is a smoothed prolongation and R its transpose.
  std::string product = "aa";
  /// Multiplications beyond which a matrix is left out.
  double most_products = 3e9;
};

}  // namespace heddle::bench
