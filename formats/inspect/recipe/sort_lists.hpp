// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>

#include "../each_entry.hpp"
#include "../radix_sort.hpp"
#include "entry_keys.hpp"

namespace heddle::recipe {

/// The orders of the entries of a list: that of rows and of places in them.
struct RowOrder {
  int bits = 0;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t code(const Point&) const { return 0; }
};

/// The bits of two numbers of 16 bits in turn, those of the row above: Morton's order, in which all
/// entries of a quadrant of a block come before those of the next, and so on inside.
struct MortonOrder {
  int bits;

  explicit MortonOrder(const Extents& extents) {
    const std::int64_t longest = std::max(extents.inner_rows, extents.inner_columns);
    bits = 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest - 1)));
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t code(const Point& point) const {
    return code(static_cast<std::uint32_t>(point.inner_row),
                static_cast<std::uint32_t>(point.inner_column));
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t code(std::uint32_t row, std::uint32_t column) {
    return spread(row) << 1 | spread(column);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t spread(std::uint32_t bits) {
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
  }
};

/// The number of an entry's block, and behind it its code in the order of its list. Entries that
/// are not taken come after the last block.
template <class AnyEntries, class Order, class Pointer, class Key>
struct PutListKey {
  AnyEntries entries;
  Order order;
  std::int64_t blocks;
  const Pointer* key_ptr;
  const Key* keys;
  std::uint64_t* list_keys;
  std::int64_t panel = -1;
  Pointer last = 0;  ///< the block before, of that panel

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t k) {
    const Point point = entries.point(row, k);
    if (!point.taken) {
      list_keys[k] = static_cast<std::uint64_t>(blocks) << order.bits;
      return;
    }
    const Pointer first = key_ptr[point.row];
    last = find_key(keys, first, key_ptr[point.row + 1], panel == point.row ? last : first,
                    point.column);
    panel = point.row;
    list_keys[k] = static_cast<std::uint64_t>(last) << order.bits | order.code(point);
  }
};

/// Sorts the entries by list and, in a list, by order.code(point).
template <ExecutionSpace Exec, class Matrix, class Map, class Order, class Pointer, class Key>
void sort_lists_by(const Exec& exec, const Matrix& A, const Map& map, const Order& order,
                   std::int64_t blocks, const Pointer* key_ptr, const Key* keys,
                   typename Matrix::offset_type* list_ptr, typename Matrix::offset_type* source) {
  using Off = typename Matrix::offset_type;
  using AnyEntries = Entries<Matrix, Map>;
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  detail::RadixSort<Exec, std::uint64_t, Off> by_list(exec, nonzeros);
  const AnyEntries entries(A, map);
  detail::each_entry(exec, "heddle::recipe::list_keys", entries.row_ptr, entries.rows, nonzeros,
                     PutListKey<AnyEntries, Order, Pointer, Key>{entries, order, blocks, key_ptr,
                                                                 keys, by_list.room()});
  by_list.sort(exec, by_list.room(), static_cast<std::uint64_t>(blocks) << order.bits, source);
  detail::write_starts(exec, "heddle::recipe::list_ptr", list_ptr, blocks, by_list.sorted(),
                       nonzeros, std::int64_t{1} << order.bits);
}

/// count_lists, and which entries the lists hold, for matrices with a panel of more than
/// most_walked entries: source of A.nonzeros(), where list b holds entries source[list_ptr[b]] to
/// source[list_ptr[b + 1]] in the order of rows and of their places in them. The time depends on
/// the number of entries, not on how they lie. A workspace of 16 bytes and a bit more than an
/// offset for each nonzero, for which it waits. Deterministic.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key>
void sort_lists(const Exec& exec, const Matrix& A, const Map& map, std::int64_t blocks,
                const Pointer* key_ptr, const Key* keys, typename Matrix::offset_type* list_ptr,
                typename Matrix::offset_type* source) {
  sort_lists_by(exec, A, map, RowOrder(), blocks, key_ptr, keys, list_ptr, source);
}

/// The same with the entries of a block in Morton order; those of one place keep the order above.
/// For blocks of at most 2^16 rows and columns, fewer than 2^32 of them.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key>
void sort_morton_lists(const Exec& exec, const Matrix& A, const Map& map, std::int64_t blocks,
                       const Pointer* key_ptr, const Key* keys,
                       typename Matrix::offset_type* list_ptr,
                       typename Matrix::offset_type* source) {
  sort_lists_by(exec, A, map, MortonOrder(map(extents_of(A))), blocks, key_ptr, keys, list_ptr,
                source);
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

/// fill_lists from what sort_lists or sort_morton_lists found: one launch, no wait.
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
