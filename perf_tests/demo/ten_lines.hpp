// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "arrays.hpp"

namespace demo {

struct Solved {
  bool converged = false;
  int iterations = 0;
  std::string report = {};
};

/// Solves A x = b by the few lines of ten_lines.cpp.
Solved solve(const Exec& exec, const Rows& rows, const Vector& b, const Vector& x);

/// The text of these lines (CMakeLists.txt).
extern const char* const ten_lines;

}  // namespace demo
