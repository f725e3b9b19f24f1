// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/pack_entries.hpp"
#include "entry_keys.hpp"

namespace heddle::recipe {

/// Where the value of block `block` lies whose inner row and column are these. A layout has this
/// function, the number of inner columns that are stored, and `rows`: the rows of the matrix and
/// those behind the last whose places are to be cleared too.
struct BlocksByRows {  ///< BCSR: rows x columns a block, row by row
  std::int64_t inner_rows;
  std::int64_t inner_columns;
  std::int64_t rows;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t block, std::int64_t row,
                                                      std::int64_t column) const {
    return (block * inner_rows + row) * inner_columns + column;
  }
};
struct BlocksByColumns {  ///< the same, column by column; of one column: DIA
  std::int64_t inner_rows;
  std::int64_t inner_columns;
  std::int64_t rows;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t block, std::int64_t row,
                                                      std::int64_t column) const {
    return (block * inner_columns + column) * inner_rows + row;
  }
};

/// What a place without an entry holds, and how an entry comes to it: a zero, or a mark of its own
/// (backends::is_hole), so that what is infinite in x is not multiplied by it.
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

/// An item a row, the owner of all that its row has in any block.
template <class Matrix, class Map, class Pointer, class Key, class Layout, class Empty>
struct FillValuesKernel {
  using S = typename Matrix::scalar_type;

  Entries<Matrix, Map> entries;
  const S* from;
  const Pointer* key_ptr;
  const Key* keys;
  Layout layout;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const Point at = entries.row_point(row);
    const Pointer begin = key_ptr[at.row], end = key_ptr[at.row + 1];
    for (Pointer block = begin; block < end; ++block) {
      for (std::int64_t column = 0; column < layout.inner_columns; ++column) {
        Empty::clear(values + layout(static_cast<std::int64_t>(block), at.inner_row, column));
      }
    }
    Pointer block = begin;
    for (std::int64_t k = entries.begin(row); k < entries.end(row); ++k) {
      const Point point = entries.point(row, k);
      if (!point.taken) continue;
      block = find_key(keys, begin, end, block, point.column);
      Empty::add(
          values + layout(static_cast<std::int64_t>(block), point.inner_row, point.inner_column),
          from[k]);
    }
  }
};

/// The values of dense blocks, of the keys that Compact wrote: the fill pass, and all of
/// update_values. One launch in the order of `exec`; no wait, no allocation. What no entry has is
/// `empty`, and entries of one place add up in the order of their row, by one thread, so that the
/// bits are the same every time.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key, class Layout,
          class Empty = Zeros>
void fill_values(const Exec& exec, const char* label, const Matrix& A, const Map& map,
                 const Pointer* key_ptr, const Key* keys, const Layout& layout,
                 typename Matrix::scalar_type* values, Empty = {}) {
  Kokkos::parallel_for(
      label, range_policy(exec, layout.rows),
      FillValuesKernel<Matrix, Map, Pointer, Key, Layout, Empty>{
          Entries<Matrix, Map>(A, map), A.values().data(), key_ptr, keys, layout, values});
}

}  // namespace heddle::recipe
