// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/partition.hpp"

namespace heddle::detail::csr {

/// Shares of equal work without a table: each team searches the row pointer for its own. No row is
/// cut: a share has all of each row that begins in its steps of the merge path. It has no rows if a
/// row of an earlier share covers its steps.
struct ShareSearch {
  std::int64_t nonzeros = 0;
  std::int64_t share_work = 1;  ///< steps of the merge path
  int row_steps = 1;            ///< steps that a row counts; a nonzero counts one

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t steps(std::int64_t rows) const {
    return merge_path_steps(rows, nonzeros, row_steps);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t shares(std::int64_t rows) const {
    return ceil_div(steps(rows), share_work);
  }

  /// The first row of a share, which is also the end of the share before it. Called by all lanes of
  /// a subwarp, each of which tests one row at a time.
  template <class Subwarp, Ordinal O, Offset Off>
  KOKKOS_FORCEINLINE_FUNCTION O first_row(const Subwarp& subwarp, const Off* row_ptr, O rows,
                                          std::int64_t share) const {
    const std::int64_t all = steps(rows);
    const std::int64_t target = share < shares(rows) ? share * share_work : all;
    std::int64_t low = target > nonzeros ? ceil_div<std::int64_t>(target - nonzeros, row_steps) : 0;
    std::int64_t high = ceil_div<std::int64_t>(target, row_steps);
    if (high > rows) high = rows;
    while (low < high) {
      const std::int64_t stride = (high - low) / (Subwarp::width + 1) + 1;
      const std::int64_t row = low + (subwarp.lane() + 1) * stride - 1;
      const bool before =
          row < high && row * row_steps + static_cast<std::int64_t>(row_ptr[row]) < target;
      low += subwarp.sum(static_cast<int>(before)) * stride;
      if (high > low + stride - 1) high = low + stride - 1;
    }
    return static_cast<O>(low);
  }
};

}  // namespace heddle::detail::csr
