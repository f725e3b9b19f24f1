// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "search.hpp"
#include "types.hpp"

/// Ways to share the rows and nonzeros of a CSR matrix among workers. All are pure functions of the
/// row pointer, for host and device: each worker finds its own share without communication.
namespace heddle {

/// A cut through a CSR matrix: rows before `row` have ended, nonzeros before `nonzero` are
/// consumed. The cut is inside `row` if row_ptr[row] < nonzero.
template <Ordinal O, Offset Off>
struct Cut {
  O row;
  Off nonzero;
};

/// Length of the whole merge path in steps: one for each nonzero, and `row_steps` for each row.
KOKKOS_INLINE_FUNCTION std::int64_t merge_path_steps(std::int64_t rows, std::int64_t nonzeros,
                                                     int row_steps) {
  return rows * row_steps + nonzeros;
}

/// The cut after `steps` steps of the merge path, by binary search: one step consumes a nonzero,
/// and `row_steps` steps end a row. 0 <= steps <= merge_path_steps(...). Cuts at equal distances
/// give all workers equal numbers of nonzeros plus row_steps times rows, for any lengths of rows.
/// Source: D. Merrill and M. Garland, "Merge-based parallel sparse matrix-vector multiplication",
/// SC 2016, in which a row costs one step.
template <Ordinal O, Offset Off>
KOKKOS_INLINE_FUNCTION Cut<O, Off> merge_path_cut(const Off* row_ptr, O rows, Off nonzeros,
                                                  std::int64_t steps, int row_steps = 1) {
  const auto nnz = static_cast<std::int64_t>(nonzeros);
  const std::int64_t low = steps > nnz ? (steps - nnz) / row_steps : 0;
  const std::int64_t high = steps / row_steps < rows ? steps / row_steps : rows;
  const std::int64_t row = detail::first_where(low, high, [=](std::int64_t i) {
    return static_cast<std::int64_t>(row_ptr[i + 1]) > steps - (i + 1) * row_steps;
  });
  if (row == rows) return {rows, nonzeros};
  const std::int64_t consumed = steps - row * row_steps;
  const auto row_end = static_cast<std::int64_t>(row_ptr[row + 1]);
  return {static_cast<O>(row), static_cast<Off>(consumed < row_end ? consumed : row_end)};
}

/// The first row whose nonzeros are all at or after `nonzero`, found by a binary search. It is the
/// first of the rows that start there, so that empty rows are counted once.
template <Ordinal O, Offset Off>
KOKKOS_INLINE_FUNCTION O first_row_from(const Off* row_ptr, O rows, Off nonzero) {
  return detail::first_not_below(row_ptr, rows, static_cast<std::int64_t>(nonzero));
}

/// Shares of equally many items, each from begin(share) to begin(share + 1).
struct EqualShares {
  std::int64_t items;
  std::int64_t count;

  /// 0 <= share <= count. Two terms, so that items * share cannot overflow.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t share) const {
    return items / count * share + items % count * share / count;
  }
};

/// First row of share `share` of `shares`; the share ends at the first row of the next. Shares are
/// whole rows with nearly equal numbers of nonzeros. The last share includes trailing empty rows.
template <Ordinal O, Offset Off>
KOKKOS_INLINE_FUNCTION O equal_nonzeros_row(const Off* row_ptr, O rows, Off nonzeros,
                                            std::int64_t share, std::int64_t shares) {
  if (share <= 0) return 0;
  if (share >= shares) return rows;
  const EqualShares of_nonzeros{static_cast<std::int64_t>(nonzeros), shares};
  return first_row_from(row_ptr, rows, static_cast<Off>(of_nonzeros.begin(share)));
}

/// Moves a cut inside a short row (at most `threshold` nonzeros) to the end of that row, so that
/// only long rows are shared between workers.
template <Ordinal O, Offset Off>
KOKKOS_INLINE_FUNCTION Cut<O, Off> cut_outside_short_rows(const Off* row_ptr, O rows,
                                                          Cut<O, Off> cut, Off threshold) {
  if (cut.row >= rows) return cut;
  const Off begin = row_ptr[cut.row];
  const Off end = row_ptr[cut.row + 1];
  const bool inside = begin < cut.nonzero;
  if (inside && end - begin <= threshold) return {static_cast<O>(cut.row + 1), end};
  return cut;
}

/// End of the run of rows that begins at `row`: its rows are all short (at most `threshold`
/// nonzeros) or all long.
template <Ordinal O, Offset Off>
KOKKOS_INLINE_FUNCTION O run_end(const Off* row_ptr, O rows, O row, Off threshold) {
  if (row >= rows) return rows;
  const bool is_long = row_ptr[row + 1] - row_ptr[row] > threshold;
  O end = row + 1;
  while (end < rows && (row_ptr[end + 1] - row_ptr[end] > threshold) == is_long) ++end;
  return end;
}

}  // namespace heddle
