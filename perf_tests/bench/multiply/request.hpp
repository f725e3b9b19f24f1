// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest_options.hpp"

namespace heddle::bench {

/// Options of `heddle-bench multiply`.
struct MultiplyRequest : ContestOptions {
  /// The product: A A (aa), A P (ap), or R A P (rap) for a smoothed prolongation P and R = P^H.
  std::string product = "aa";
  /// Number of multiplications above which a matrix is left out.
  double most_products = 3e9;
};

}  // namespace heddle::bench
