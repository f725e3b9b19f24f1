// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "arrays.hpp"

namespace demo {

struct ByScipy {
  double seconds = 0;
  int iterations = 0;
};

/// Solves A x = b by scipy's conjugate gradients with the diagonal (scipy_cg.py), in a python3 of
/// its own; nullopt if there is none with scipy, or anything else fails.
std::optional<ByScipy> scipy_cg(const Rows& A, const Vector& b, const Vector& x);

}  // namespace demo
