// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/algorithms/each_entry.hpp"
#include "../../../backends/algorithms/sort.hpp"
#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"
#include "entry_keys.hpp"

namespace heddle::recipe {

/// Writes the number of an entry's block. Entries that are not taken come after the last block.
template <class AnyEntries, class Pointer, class Key>
struct PutListKey {
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  std::int64_t blocks;
  const Pointer* key_ptr;
  const Key* keys;
  Off* list_keys;
  std::int64_t panel = -1;
  Pointer last = 0;  ///< block of the entry before, in that panel

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

/// Does the work of count_lists, and sorts the entries of the lists, for matrices with a panel of
/// more than most_walked entries. `source` has length A.nonzeros(): list b has the entries at
/// [list_ptr[b], list_ptr[b + 1]) of source, in the order of rows and of their places in them. The
/// time depends on the number of entries, not on the pattern. A workspace of a bit more than three
/// offsets for each nonzero, for which it waits. Deterministic.
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

/// Calls put with the block if it accepts one, else without.
template <class Put>
KOKKOS_FORCEINLINE_FUNCTION void put_entry(const Put& put, std::int64_t block, std::int64_t place,
                                           const Point& point, std::int64_t k) {
  if constexpr (requires { put(block, place, point, k); }) {
    put(block, place, point, k);
  } else {
    put(place, point, k);
  }
}

/// Puts the entry at a place of a list; bisection finds its panel and row.
template <class AnyEntries, class Pointer, class Put>
struct PutSorted {
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  std::int64_t panel_rows;
  std::int64_t panels;
  const Pointer* key_ptr;
  const Off* source;
  Put put;
  std::int64_t last = -1;  ///< block of the entry before
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

/// Runs fill_lists with the source of sort_lists: one launch, no wait.
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

/// Scatters entries into lists: a subwarp a panel, in the order of rows and of places, a lane an
/// entry. An entry goes to next[its block] plus the number of lower lanes with entries of that
/// block; then the highest lane of the block advances next. Calls put(place, point, k), or
/// put(block, place, point, k).
template <class AnyEntries, class Pointer, class Key, class Put>
struct ListsKernel {
  using Scratch = backends::NoScratch;
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  std::int64_t panel_rows;
  std::int64_t panels;
  const Pointer* key_ptr;
  const Key* keys;
  Off* next;
  Put put;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int width = Team::subwarp_width;
    const auto subwarp = team.subwarp();
    const std::int64_t panel = team.index() * Team::subwarps + team.subwarp_index();
    if (panel >= panels) return;
    const std::int64_t first = panel * panel_rows;
    const std::int64_t last = first + panel_rows < entries.rows ? first + panel_rows : entries.rows;
    const std::int64_t begin = entries.begin(first), end = entries.end(last - 1);
    const Pointer first_key = key_ptr[panel], last_key = key_ptr[panel + 1];
    const auto blocks = static_cast<std::uint64_t>(last_key - first_key);
    int bits = 0;
    while (blocks > std::uint64_t{1} << bits) ++bits;
    Pointer block = first_key;
    std::int64_t row = first;
    for (std::int64_t batch = begin; batch < end; batch += width) {
      const std::int64_t k = batch + subwarp.lane();
      Point point{0, 0, 0};
      point.taken = false;
      if (k < end) {
        if (entries.end(row) <= k) row = detail::row_behind(entries.row_ptr, row, last, k);
        point = entries.point(row, k);
        if (point.taken) block = find_key(keys, first_key, last_key, block, point.column);
      }
      const auto same = detail::same_lanes(subwarp, static_cast<std::uint64_t>(block - first_key),
                                           bits, point.taken);
      const Off to = point.taken ? next[block] : Off(0);
      subwarp.sync();
      if (point.taken) {
        const std::int64_t place = static_cast<std::int64_t>(to) + same.below;
        put_entry(put, static_cast<std::int64_t>(block), place, point, k);
        if (same.last) next[block] = to + static_cast<Off>(same.below + 1);
      }
      subwarp.sync();
    }
  }
};

/// A put for counting, which does nothing.
struct PutNothing {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, const Point&, std::int64_t) const {}
};

/// Calls put for every entry that the map takes, with its place in its list.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key, class Put>
void walk_lists(const Exec& exec, const char* label, const Matrix& A, const Map& map,
                const Pointer* key_ptr, const Key* keys, typename Matrix::offset_type* next,
                const Put& put) {
  constexpr int width = backends::has_lanes<Exec> ? 32 : 1, threads = 128;
  const int subwarps = backends::has_lanes<Exec> ? threads / width : 1;
  const Extents extents = map(extents_of(A));
  if (A.rows() == 0) return;
  backends::launch<backends::Shape<width, threads>>(
      exec, label, ceil_div<std::int64_t>(extents.rows, subwarps),
      ListsKernel<Entries<Matrix, Map>, Pointer, Key, Put>{Entries<Matrix, Map>(A, map),
                                                           extents.inner_rows, extents.rows,
                                                           key_ptr, keys, next, put});
}

/// Counts blocks that are lists of their entries, for tiled and CSB: writes the start of the list
/// of each of the `blocks` keys that Compact wrote, and the end of the last. list_ptr has length
/// blocks + 1. Each panel must be consecutive rows with at most most_walked entries, which one
/// subwarp walks through; sort_lists has no such limit. Reads the columns once; three launches in
/// the order of `exec`, no wait. `next` is a workspace of `blocks` offsets.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key>
void count_lists(const Exec& exec, const Matrix& A, const Map& map, std::int64_t blocks,
                 const Pointer* key_ptr, const Key* keys, typename Matrix::offset_type* list_ptr,
                 typename Matrix::offset_type* next) {
  using Off = typename Matrix::offset_type;
  detail::fill(exec, "heddle::recipe::clear", next, blocks, 0);
  walk_lists(exec, "heddle::recipe::count_lists", A, map, key_ptr, keys, next, PutNothing());
  detail::running_sum<Off>(exec, "heddle::recipe::scan_lists", list_ptr, blocks,
                           detail::Terms<Off>{next});
}

/// Calls put(place, point, k), or put(block, place, point, k) if it accepts a block, for each entry
/// k that is taken. Its place is in the list of its block, where entries keep the order of rows and
/// of their places in them. This is the fill pass, and all of update_values: at most two launches
/// in the order of `exec`; no wait, no allocation; deterministic. `source` is the result of
/// sort_lists, or null after count_lists; then `next` is a workspace of `blocks` offsets.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key, class Put>
void fill_lists(const Exec& exec, const char* label, const Matrix& A, const Map& map,
                std::int64_t blocks, const Pointer* key_ptr, const Key* keys,
                const typename Matrix::offset_type* list_ptr, typename Matrix::offset_type* next,
                const typename Matrix::offset_type* source, const Put& put) {
  if (source) {
    fill_sorted_lists(exec, label, A, map, blocks, key_ptr, list_ptr, source, put);
    return;
  }
  detail::copy(exec, "heddle::recipe::begin_lists", next, blocks, list_ptr);
  walk_lists(exec, label, A, map, key_ptr, keys, next, put);
}

}  // namespace heddle::recipe
