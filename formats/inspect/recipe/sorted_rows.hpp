// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <numeric>

#include "../../../backends/lanes.hpp"
#include "../../../core/types.hpp"

namespace heddle::recipe {

/// Rank of a row in its window of rows sorted by length, the longest first; rows of equal length
/// keep their order. The last window may be shorter.
template <Offset Off>
KOKKOS_INLINE_FUNCTION std::int64_t rank_in_window(const Off* row_ptr, std::int64_t rows,
                                                   std::int64_t window, std::int64_t row) {
  const std::int64_t begin = row / window * window;
  const std::int64_t end = begin + window < rows ? begin + window : rows;
  const Off length = row_ptr[row + 1] - row_ptr[row];
  std::int64_t rank = 0;
  Off from = row_ptr[begin];
  for (std::int64_t other = begin; other < end; ++other) {
    const Off to = row_ptr[other + 1];
    rank += to - from > length || (to - from == length && other < row);
    from = to;
  }
  return rank;
}

template <Ordinal O, Offset Off>
struct RankRows {
  const Off* row_ptr;
  std::int64_t rows;
  std::int64_t window;
  O* row_at;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_at[row / window * window + rank_in_window(row_ptr, rows, window, row)] =
        static_cast<O>(row);
  }
};

/// Sorts the rows inside windows of `window` consecutive rows by length, the longest first; stable.
/// row_at[p] is the row at place p: in each window a permutation of its rows. One launch in the
/// order of `exec`, no wait. On a GPU every row counts the longer ones of its window: rows x window
/// steps.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void sort_rows(const Exec& exec, const Off* row_ptr, std::int64_t rows, std::int64_t window,
               O* row_at) {
  if constexpr (backends::runs_on_host<Exec>) {
    Kokkos::parallel_for("heddle::recipe::sort_rows", range_policy(exec, ceil_div(rows, window)),
                         [=](std::int64_t w) {
                           O* const begin = row_at + w * window;
                           O* const end = row_at + std::min(rows, (w + 1) * window);
                           std::iota(begin, end, static_cast<O>(w * window));
                           std::stable_sort(begin, end, [=](O a, O b) {
                             return row_ptr[a + 1] - row_ptr[a] > row_ptr[b + 1] - row_ptr[b];
                           });
                         });
  } else {
    Kokkos::parallel_for("heddle::recipe::sort_rows", range_policy(exec, rows),
                         RankRows<O, Off>{row_ptr, rows, window, row_at});
  }
}

}  // namespace heddle::recipe
