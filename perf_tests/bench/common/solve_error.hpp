// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../testing/wide.hpp"
#include "load.hpp"

namespace heddle::bench {

/// The norm of b - A x in wide precision over ten times `tolerance` times that of b, for vectors of
/// one column. A residual that an iteration updates drifts from this one.
template <Scalar S, Offset Off, class Columns>
double solve_error(const HostStorage<S, Off>& A, const Columns& b, const Columns& x,
                   double tolerance) {
  using test::detail::Wide;
  long double rest = 0, all = 0;
  for (std::size_t i = 0; i < b.extent(0); ++i) {
    Wide sum(b(i, 0));
    all += test::detail::magnitude(sum) * test::detail::magnitude(sum);
    for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      const auto at = static_cast<std::size_t>(k);
      sum = sum - Wide(A.values()(at)) * Wide(x(static_cast<std::size_t>(A.col_idx()(at)), 0));
    }
    rest += test::detail::magnitude(sum) * test::detail::magnitude(sum);
  }
  return static_cast<double>(std::sqrt(rest)) /
         (10 * tolerance * static_cast<double>(std::sqrt(all)));
}

}  // namespace heddle::bench
