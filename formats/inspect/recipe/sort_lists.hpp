// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../each_entry.hpp"
#include "../radix_sort.hpp"
#include "entry_keys.hpp"

namespace heddle::recipe {

/// The number of an entry's block. Entries that are not taken come after the last block.
template <class AnyEntries, class Pointer, class Key>
struct PutListKey {
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  std::int64_t blocks;
  const Pointer* key_ptr;
  const Key* keys;
  Off* list_keys;
  std::int64_t panel = -1;
  Pointer last = 0;  ///< the block before, of that panel

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t k) {
    const Point point = entries.point(row, k);
    if (!point.taken) {
      list_keys[k] = static_cast<Off>(blocks);
      return;
    }
    const Pointer first = key_ptr[point.row];
    last = find_key(keys, first, key_ptr[point.row + 1], panel == point.row ? last : first,
                    point.column);
    panel = point.row;
    list_keys[k] = static_cast<Off>(last);
  }
};

/// count_lists, and which entries the lists hold, for matrices with a panel of more than
/// most_walked entries: source of A.nonzeros(), where list b holds entries source[list_ptr[b]] to
/// source[list_ptr[b + 1]] in the order of rows and of their places in them. The time depends on
/// the number of entries, not on how they lie. A workspace of a bit more than three offsets for
/// each nonzero, for which it waits. Deterministic.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key>
void sort_lists(const Exec& exec, const Matrix& A, const Map& map, std::int64_t blocks,
                const Pointer* key_ptr, const Key* keys, typename Matrix::offset_type* list_ptr,
                typename Matrix::offset_type* source) {
  using Off = typename Matrix::offset_type;
  using AnyEntries = Entries<Matrix, Map>;
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  detail::RadixSort<Exec, Off, Off> by_list(exec, nonzeros);
  const AnyEntries entries(A, map);
  detail::each_entry(
      exec, "heddle::recipe::list_keys", entries.row_ptr, entries.rows, nonzeros,
      PutListKey<AnyEntries, Pointer, Key>{entries, blocks, key_ptr, keys, by_list.room()});
  by_list.sort(exec, by_list.room(), static_cast<Off>(blocks), source);
  detail::write_starts(exec, "heddle::recipe::list_ptr", list_ptr, blocks, by_list.sorted(),
                       nonzeros);
}

/// Puts an entry by what takes its block too, or by what does not.
template <class Put>
KOKKOS_FORCEINLINE_FUNCTION void put_entry(const Put& put, std::int64_t block, std::int64_t place,
                                           const Point& point, std::int64_t k) {
  if constexpr (requires { put(block, place, point, k); }) {
    put(block, place, point, k);
  } else {
    put(place, point, k);
  }
}

/// Puts the entry that comes to a place of a list; its panel and row are found by bisection.
template <class AnyEntries, class Pointer, class Put>
struct PutSorted {
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  std::int64_t panel_rows;
  std::int64_t panels;
  const Pointer* key_ptr;
  const Off* source;
  Put put;
  std::int64_t last = -1;  ///< the block before
  std::int64_t first_row = 0;
  std::int64_t row = 0;

  KOKKOS_FUNCTION void operator()(std::int64_t block, std::int64_t place) {
    const auto k = static_cast<std::int64_t>(source[place]);
    if (block != last) {
      first_row = row =
          detail::last_not_above(key_ptr, std::int64_t{0}, panels, block) * panel_rows;
      last = block;
    }
    if (k < entries.begin(row) || k >= entries.end(row)) {
      const std::int64_t behind = first_row + panel_rows;
      row = detail::last_not_above(entries.row_ptr, first_row,
                                   behind < entries.rows ? behind : entries.rows, k);
    }
    const Point point = entries.point(row, k);
    put_entry(put, block, place, point, k);
  }
};

/// fill_lists from what sort_lists found: one launch, no wait.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Put>
void fill_sorted_lists(const Exec& exec, const char* label, const Matrix& A, const Map& map,
                       std::int64_t blocks, const Pointer* key_ptr,
                       const typename Matrix::offset_type* list_ptr,
                       const typename Matrix::offset_type* source, const Put& put) {
  const Extents extents = map(extents_of(A));
  if (blocks == 0) return;
  using AnyEntries = Entries<Matrix, Map>;
  detail::each_entry(exec, label, list_ptr, blocks, static_cast<std::int64_t>(A.nonzeros()),
                     PutSorted<AnyEntries, Pointer, Put>{AnyEntries(A, map), extents.inner_rows,
                                                         extents.rows, key_ptr, source, put});
}

}  // namespace heddle::recipe
