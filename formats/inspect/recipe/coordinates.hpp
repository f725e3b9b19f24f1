// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/types.hpp"

/// Inspectors, composed. A recipe is a coordinate map and an end:
///
///     const auto map = tile_rows(3) | tile_columns(3);   // BCSR
///     const Compact blocks(exec, A, map);                // which blocks there are: two readbacks
///     blocks.write(exec, block_ptr, block_columns);      // the outer level
///     fill_values(exec, label, A, map, block_ptr, block_columns, BlocksByColumns{...}, values);
///
/// The map takes each entry (row i, column k, place j in the row) to a Point; the end makes arrays
/// of the outer coordinates and says where values lie. Drawn for every format: docs/recipes.md.
/// Source of the steps: A. Venkat, M. Hall and M. Strout, "Loop and data transformations for
/// sparse matrix code", PLDI 2015.
namespace heddle::recipe {

/// Where an entry goes. It begins as {row, column, place}; the steps of a map move it. All points
/// of one outer row form a panel; the outer columns in it are the keys that an end makes compact.
struct Point {
  std::int64_t row;
  std::int64_t column;
  std::int64_t place;             ///< the entry's place in its row, from 0
  std::int64_t inner_row = 0;     ///< in 0 .. Extents::inner_rows - 1
  std::int64_t inner_column = 0;  ///< in 0 .. Extents::inner_columns - 1
  bool taken = true;              ///< false if the recipe leaves the entry to another one
};

/// The ranges of the coordinates of a Point. Columns may begin below zero.
struct Extents {
  std::int64_t rows;
  std::int64_t first_column;
  std::int64_t columns;
  std::int64_t inner_rows = 1;
  std::int64_t inner_columns = 1;
};

/// A step is a small value with two functions: of a Point, on the device, and of the Extents, on
/// the host. Of a row they keep the order of its columns, and entries that differ they keep apart.
/// Two steps, one after the other, are a step.
template <class First, class Second>
struct Then {
  First first;
  Second second;

  KOKKOS_FORCEINLINE_FUNCTION Point operator()(const Point& point) const {
    return second(first(point));
  }
  Extents operator()(const Extents& extents) const { return second(first(extents)); }
};

/// The base of every step, so that `|` knows what to compose.
struct Step {};
/// Whether T is a step, or steps one after the other.
template <class T>
inline constexpr bool is_step = std::is_base_of_v<Step, T>;
template <class First, class Second>
inline constexpr bool is_step<Then<First, Second>> = true;

/// The first step, then the second.
template <class First, class Second>
  requires(is_step<First> && is_step<Second>)
constexpr Then<First, Second> operator|(const First& first, const Second& second) {
  return {first, second};
}

}  // namespace heddle::recipe
