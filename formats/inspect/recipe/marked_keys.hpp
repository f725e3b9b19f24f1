// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../each_entry.hpp"
#include "../marked_bits.hpp"
#include "entry_keys.hpp"

namespace heddle::recipe {

/// Marks the key of an entry, unless the one at the same place of the row before has it: all
/// entries are visited, so that one is marked, or skipped for one above it. Else all threads of a
/// banded matrix would meet at a few words.
template <class AnyEntries>
struct MarkKey {
  AnyEntries entries;
  std::int64_t first_key;
  std::int64_t panel_words;
  detail::MarkedBits bits;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const Point point = entries.point(row, k);
    if (!point.taken || repeats_row_before(row, k, point)) return;
    const std::int64_t key = point.column - first_key;
    bits.mark(point.row * panel_words + key / 32, static_cast<int>(key % 32), k / 256);
  }

  /// Whether the entry at the same place of the row before is taken, into the same panel and key.
  KOKKOS_FUNCTION bool repeats_row_before(std::int64_t row, std::int64_t k,
                                          const Point& point) const {
    if (row == 0) return false;
    const std::int64_t above = entries.begin(row - 1) + (k - entries.begin(row));
    if (above >= entries.begin(row)) return false;
    const Point other = entries.point(row - 1, above);
    return other.taken && other.row == point.row && other.column == point.column;
  }
};

/// Marks the keys of all entries in a table of bits, `panel_words` words a panel: for diagonals and
/// tall panels.
template <ExecutionSpace Exec, class AnyEntries>
void mark_keys(const Exec& exec, const AnyEntries& entries, std::int64_t nonzeros,
               std::int64_t first_key, std::int64_t panel_words, const detail::MarkedBits& bits) {
  detail::each_entry(exec, "heddle::recipe::mark", entries.row_ptr, entries.rows, nonzeros,
                     MarkKey<AnyEntries>{entries, first_key, panel_words, bits});
}

}  // namespace heddle::recipe
