// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"
#include "../../../backends/pack.hpp"
#include "entry_keys.hpp"

namespace heddle::recipe {

/// Work above which a GPU's subwarp shares an item instead of leaving it to one thread.
inline constexpr std::int64_t shared_work = 1024;

template <class Items>
struct SharedItemsKernel {
  using Scratch = backends::NoScratch;

  std::int64_t count;
  Items items;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::threads + team.thread();
    const bool exists = item < count;
    const bool shared = exists && items.work(item) > shared_work;
    if (exists && !shared) items.alone(item);
    const std::int64_t first = item - subwarp.lane();
    for (std::uint64_t left = subwarp.ballot(shared); left != 0; left &= left - 1) {
      items.together(subwarp, first + countr_zero(left));
    }
  }
};

template <class Items>
struct LoneItems {
  Items items;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const { items.alone(item); }
};

/// Runs items.alone(item) on a thread for each item. On a GPU the whole subwarp runs items with
/// items.work(item) above shared_work, one after the other: items.together(subwarp, item). One
/// launch in the order of `exec`; no wait.
template <ExecutionSpace Exec, class Items>
void each_item(const Exec& exec, const char* label, std::int64_t count, const Items& items) {
  if constexpr (backends::has_lanes<Exec>) {
    constexpr int width = 32, threads = 128;
    backends::launch<backends::Shape<width, threads>>(exec, label, ceil_div(count, threads),
                                                      SharedItemsKernel<Items>{count, items});
  } else {
    Kokkos::parallel_for(label, range_policy(exec, count), LoneItems<Items>{items});
  }
}

/// A layout returns the place of the value at an inner row and column of a block. It has the number
/// of inner columns that are stored, and `rows`: the rows of the matrix and further ones whose
/// places are cleared too.
struct BlocksByRows {  ///< BCSR: dense blocks, row by row
  std::int64_t inner_rows;
  std::int64_t inner_columns;
  std::int64_t rows;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t block, std::int64_t row,
                                                      std::int64_t column) const {
    return (block * inner_rows + row) * inner_columns + column;
  }
};
/// Dense blocks, column by column; with one column, DIA.
struct BlocksByColumns {
  std::int64_t inner_rows;
  std::int64_t inner_columns;
  std::int64_t rows;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t block, std::int64_t row,
                                                      std::int64_t column) const {
    return (block * inner_columns + column) * inner_rows + row;
  }
};

/// Places without an entry: zeros, or holes (backends::is_hole), by which an infinite entry of x is
/// not multiplied.
struct Zeros {
  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION static void clear(S* place) {
    *place = S(0);
  }
  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION static void add(S* place, const S& entry) {
    *place += entry;
  }
};
/// Holes in places without an entry: an infinite entry of x is not multiplied by them.
struct Holes {
  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION static void clear(S* place) {
    backends::put_hole(place);
  }
  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION static void add(S* place, const S& entry) {
    backends::add_entry(place, entry);
  }
};

/// Fills the places of a row in all its blocks, an item a row.
template <class Matrix, class Map, class Pointer, class Key, class Layout, class Empty>
struct FillValuesOfRow {
  using S = typename Matrix::scalar_type;

  Entries<Matrix, Map> entries;
  const S* from;
  const Pointer* key_ptr;
  const Key* keys;
  Layout layout;
  S* values;

  KOKKOS_FUNCTION std::int64_t work(std::int64_t row) const {
    return entries.end(row) - entries.begin(row);
  }

  KOKKOS_FUNCTION void alone(std::int64_t row) const {
    const Point at = entries.row_point(row);
    const Pointer begin = key_ptr[at.row], end = key_ptr[at.row + 1];
    for (Pointer block = begin; block < end; ++block) {
      for (std::int64_t column = 0; column < layout.inner_columns; ++column) {
        Empty::clear(values + layout(static_cast<std::int64_t>(block), at.inner_row, column));
      }
    }
    Pointer block = begin;
    for (std::int64_t k = entries.begin(row); k < entries.end(row); ++k) {
      S* const place = place_of(row, k, begin, end, block);
      if (place) Empty::add(place, from[k]);
    }
  }

  /// Fills a row with a subwarp: lanes add neighbouring entries. If columns do not ascend, some of
  /// these may have the same place, so lanes take turns and add in the order of alone().
  template <class Subwarp>
  KOKKOS_FUNCTION void together(const Subwarp& subwarp, std::int64_t row) const {
    const Point at = entries.row_point(row);
    const Pointer begin = key_ptr[at.row], end = key_ptr[at.row + 1];
    const std::int64_t places = static_cast<std::int64_t>(end - begin) * layout.inner_columns;
    for (std::int64_t i = subwarp.lane(); i < places; i += Subwarp::width) {
      const std::int64_t block = static_cast<std::int64_t>(begin) + i / layout.inner_columns;
      Empty::clear(values + layout(block, at.inner_row, i % layout.inner_columns));
    }
    subwarp.sync();
    Pointer block = begin;
    const std::int64_t stop = entries.end(row);
    for (std::int64_t first = entries.begin(row); first < stop; first += Subwarp::width) {
      const std::int64_t k = first + subwarp.lane();
      S* const place = k < stop ? place_of(row, k, begin, end, block) : nullptr;
      const bool ascends = k >= stop || k == first || entries.col_idx[k - 1] < entries.col_idx[k];
      if (subwarp.all(ascends)) {
        if (place) Empty::add(place, from[k]);
      } else {
        for (int turn = 0; turn < Subwarp::width; ++turn) {
          if (place && turn == subwarp.lane()) Empty::add(place, from[k]);
          subwarp.sync();
        }
      }
      subwarp.sync();
    }
  }

 private:
  /// Place of entry k, or null if it is not taken; `block` goes from the entry before to this one.
  KOKKOS_FORCEINLINE_FUNCTION S* place_of(std::int64_t row, std::int64_t k, Pointer begin,
                                          Pointer end, Pointer& block) const {
    const Point point = entries.point(row, k);
    if (!point.taken) return nullptr;
    block = find_key(keys, begin, end, block, point.column);
    return values + layout(static_cast<std::int64_t>(block), point.inner_row, point.inner_column);
  }
};

/// Fills the values of dense blocks with the keys that Compact wrote: the fill pass, and all of
/// update_values. One launch in the order of `exec`; no wait, no allocation. Places without an
/// entry are `Empty`, and repeated entries are added in the order of their row, so the bits are the
/// same every time.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key, class Layout,
          class Empty = Zeros>
void fill_values(const Exec& exec, const char* label, const Matrix& A, const Map& map,
                 const Pointer* key_ptr, const Key* keys, const Layout& layout,
                 typename Matrix::scalar_type* values, Empty = {}) {
  each_item(exec, label, layout.rows,
            FillValuesOfRow<Matrix, Map, Pointer, Key, Layout, Empty>{
                Entries<Matrix, Map>(A, map), A.values().data(), key_ptr, keys, layout, values});
}

}  // namespace heddle::recipe
