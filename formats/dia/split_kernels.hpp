// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../core/matrix.hpp"
#include "../../core/partition.hpp"

namespace heddle::detail::dia {

/// Runs of equally many entries, whatever rows they are in, so that long rows are shared like any
/// others; and the row of each entry, found on the way.
template <Ordinal O, Offset Off>
struct EntryRuns {
  const Off* row_ptr;
  const O* col_idx;
  O rows;
  std::int64_t nonzeros;
  std::int64_t run;

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t item) const { return item * run; }
  KOKKOS_FUNCTION std::int64_t end(std::int64_t item) const {
    return nonzeros - item * run < run ? nonzeros : (item + 1) * run;
  }
  KOKKOS_FUNCTION O row_of(std::int64_t k) const {
    return first_row_from(row_ptr, rows, static_cast<Off>(k + 1)) - 1;
  }
  /// The row of entry k, given that of the entry before.
  KOKKOS_FUNCTION O row_from(O row, std::int64_t k) const {
    if (static_cast<std::int64_t>(row_ptr[row + 1]) > k) return row;
    return static_cast<std::int64_t>(row_ptr[row + 2]) > k ? row + 1 : row_of(k);
  }
  /// Where the diagonal of an entry is counted.
  KOKKOS_FUNCTION std::int64_t diagonal(O row, std::int64_t k) const {
    return std::int64_t{col_idx[k]} - row + rows - 1;
  }
};

/// Counts the entries of each diagonal. Where one row after the other has its entry of a diagonal
/// at the same place, only the ends of that run count: its last row + 1, less its first. So most
/// threads of a banded matrix do not meet at a few counters.
template <Ordinal O, Offset Off>
struct CountDiagonals {
  EntryRuns<O, Off> runs;
  std::int64_t* counts;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    O row = runs.row_of(runs.begin(item));
    for (std::int64_t k = runs.begin(item); k < runs.end(item); ++k) {
      row = runs.row_from(row, k);
      const std::int64_t place = k - static_cast<std::int64_t>(runs.row_ptr[row]);
      const std::int64_t column = runs.col_idx[k];
      std::int64_t count = 0;
      if (!holds(row - 1, place, column - 1)) count -= row;
      if (!holds(row + 1, place, column + 1)) count += row + 1;
      if (count != 0) backends::atomic_add(counts + runs.diagonal(row, k), count);
    }
  }

 private:
  /// Whether the entry at that place of a row, if there is one, has that column.
  KOKKOS_FUNCTION bool holds(std::int64_t row, std::int64_t place, std::int64_t column) const {
    if (row < 0 || row >= runs.rows) return false;
    const std::int64_t k = static_cast<std::int64_t>(runs.row_ptr[row]) + place;
    return k < static_cast<std::int64_t>(runs.row_ptr[row + 1]) && runs.col_idx[k] == column;
  }
};

/// Whether a diagonal has entries in at least `fill` percent of all rows.
struct FullDiagonals {
  const std::int64_t* counts;
  std::int64_t rows;
  std::int64_t fill;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t diagonal) const {
    const std::int64_t count = counts[diagonal];
    return count > 0 && count >= (rows * fill + 99) / 100;
  }
};

/// How many diagonals are full, and the entries on them.
struct SumFullDiagonals {
  struct Sums {
    std::int64_t diagonals = 0;
    std::int64_t entries = 0;
  };
  using value_type = Sums;
  FullDiagonals full;

  KOKKOS_FUNCTION void init(Sums& sums) const { sums = Sums(); }
  KOKKOS_FUNCTION void join(Sums& sums, const Sums& other) const {
    sums.diagonals += other.diagonals;
    sums.entries += other.entries;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t diagonal, Sums& sums) const {
    if (!full(diagonal)) return;
    ++sums.diagonals;
    sums.entries += full.counts[diagonal];
  }
};

/// Counts the entries of each row that lie on no full diagonal.
template <Ordinal O, Offset Off>
struct CountRest {
  EntryRuns<O, Off> runs;
  FullDiagonals full;
  Off* counts;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    O row = runs.row_of(runs.begin(item));
    Off count = 0;
    for (std::int64_t k = runs.begin(item); k < runs.end(item); ++k) {
      const O next = runs.row_from(row, k);
      if (next != row && count > 0) {
        backends::atomic_add(counts + row, count);
        count = 0;
      }
      row = next;
      if (!full(runs.diagonal(row, k))) ++count;
    }
    if (count > 0) backends::atomic_add(counts + row, count);
  }
};

/// Lists the entries that lie on no full diagonal: a scan over the runs.
template <Ordinal O, Offset Off>
struct ListRest {
  EntryRuns<O, Off> runs;
  FullDiagonals full;
  Off* list;

  KOKKOS_FUNCTION void operator()(std::int64_t item, std::int64_t& sum, bool last) const {
    O row = runs.row_of(runs.begin(item));
    for (std::int64_t k = runs.begin(item); k < runs.end(item); ++k) {
      row = runs.row_from(row, k);
      if (full(runs.diagonal(row, k))) continue;
      if (last) list[sum] = static_cast<Off>(k);
      ++sum;
    }
  }
};

/// The offsets of the full diagonals, ascending.
template <Ordinal O>
struct ListOffsets {
  FullDiagonals full;
  std::int64_t rows;
  O* offsets;

  KOKKOS_FUNCTION void operator()(std::int64_t d, std::int64_t& sum, bool last) const {
    if (!full(d)) return;
    if (last) offsets[sum] = static_cast<O>(d - rows + 1);
    ++sum;
  }
};

template <Offset Off>
struct CountRowsWithRest {
  const Off* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& sum) const {
    sum += counts[row] != 0;
  }
};

}  // namespace heddle::detail::dia
