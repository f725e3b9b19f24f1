// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../matrices/csr.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// Products of another library with several contiguous vectors.
class ColumnProducts {
 public:
  virtual ~ColumnProducts() = default;
  /// y = A x for `count` column-major vectors.
  virtual void apply(const Exec& exec, const double* x, double* y, int count) = 0;
};

/// The input of a search over another library's products.
struct LobpcgProblem {
  using Contestant = ColumnProducts;
  CsrMatrix<double, std::int32_t, std::int32_t, Space> A;
};

}  // namespace heddle::bench
