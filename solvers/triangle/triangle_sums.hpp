// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/inspect/pattern.hpp"

namespace heddle::detail::triangle {

/// What one look at a matrix says of its triangle.
struct TriangleSums {
  std::int64_t entries = 0;             ///< in the triangle, off the diagonal
  std::int64_t outside = nowhere;       ///< the first row with an entry outside of the triangle
  std::int64_t bad_diagonal = nowhere;  ///< the first row whose diagonal is bad (is_bad_diagonal)
};

}  // namespace heddle::detail::triangle
