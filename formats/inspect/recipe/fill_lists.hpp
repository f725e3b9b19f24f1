// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"
#include "../same_lanes.hpp"
#include "sort_lists.hpp"

namespace heddle::recipe {

/// A subwarp a panel takes its entries in the order of rows and of places, a lane an entry. An
/// entry comes to next[its block] and as many places behind as lanes below have entries of that
/// block; then the highest of them moves next on. Calls put(place, point, k), or put(block, place,
/// point, k).
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

/// What counts, and so puts nothing anywhere.
struct PutNothing {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, const Point&, std::int64_t) const {}
};

/// Calls put(place, point, entry) for every entry that the map takes, the place being in its list.
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

/// Blocks that are lists of their entries, as of tiled and CSB: where the list of each of the
/// `blocks` keys that Compact wrote begins, and the end of the last: list_ptr of blocks + 1. For
/// maps whose panels are runs of consecutive rows, none of more than most_walked entries, which a
/// subwarp walks through alone; sort_lists takes any. Reads the columns once; three launches in the
/// order of `exec`, no wait. `next` is workspace for a number a block.
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

/// Calls put(place, point, k), or put(block, place, point, k) where it takes the block too, for
/// each entry k that is taken: its place is in the list of its block, where entries keep the order
/// of rows and of their places in them. The fill pass, and all of update_values: at most two
/// launches in the order of `exec`; no wait, no allocation; deterministic. `source` is what
/// sort_lists found, or null after count_lists; then `next` is workspace for a
/// number a block.
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
