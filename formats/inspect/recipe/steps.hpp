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
/// The map turns each entry (row i, column k, place j in the row) into a Point; the end makes
/// arrays of the outer coordinates and places the values. Drawings of all: docs/own-format.md.
/// Source of the steps: A. Venkat, M. Hall and M. Strout, "Loop and data transformations for
/// sparse matrix code", PLDI 2015.
namespace heddle::recipe {

/// Coordinates of an entry: first {row, column, place}, then what the steps of a map make. All
/// points of one outer row form a panel; the outer columns in it are the keys that an end compacts.
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
/// the host. Steps keep the order of columns within a row, and keep different entries different.
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
/// Whether T is a step, or a sequence of steps.
template <class T>
inline constexpr bool is_step = std::is_base_of_v<Step, T>;
template <class First, class Second>
inline constexpr bool is_step<Then<First, Second>> = true;

/// Composes two steps: the first, then the second.
template <class First, class Second>
  requires(is_step<First> && is_step<Second>)
constexpr Then<First, Second> operator|(const First& first, const Second& second) {
  return {first, second};
}

/// Panels of `by` rows: row i becomes row i / by, inner row i % by.
struct TileRows : Step {
  std::int64_t by;

  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.inner_row = p.row % by;
    p.row /= by;
    return p;
  }
  Extents operator()(Extents e) const {
    e.inner_rows = by;
    e.rows = ceil_div(e.rows, by);
    return e;
  }
};
/// Strip-mines rows.
constexpr TileRows tile_rows(std::int64_t by) { return {{}, by}; }

/// Tiles of `by` columns that begin at zero: column k becomes column k / by, inner column k % by.
struct TileColumns : Step {
  std::int64_t by;

  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.inner_column = p.column % by;
    p.column /= by;
    return p;
  }
  Extents operator()(Extents e) const {
    e.inner_columns = by;
    e.columns = ceil_div(e.columns, by);
    return e;
  }
};
/// Strip-mines columns.
constexpr TileColumns tile_columns(std::int64_t by) { return {{}, by}; }

/// Columns become diagonals: column k of row i becomes k - i; after tiles, the diagonal of blocks.
struct Skew : Step {
  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.column -= p.row;
    return p;
  }
  Extents operator()(Extents e) const {
    if (e.rows > 0) e.first_column -= e.rows - 1;
    if (e.rows > 0) e.columns += e.rows - 1;
    return e;
  }
};
/// Keys become diagonals.
constexpr Skew skew() { return {}; }

/// Column k becomes k + by.
struct Shift : Step {
  std::int64_t by;

  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.column += by;
    return p;
  }
  Extents operator()(Extents e) const {
    e.first_column += by;
    return e;
  }
};
/// Moves the columns.
constexpr Shift shift(std::int64_t by) { return {{}, by}; }

/// Moves the loop over rows inside, so that there is one panel, and its keys are those of the whole
/// matrix.
struct Permute : Step {
  std::int64_t inner_rows = 1;  ///< those of the steps before

  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.inner_row += p.row * inner_rows;
    p.row = 0;
    return p;
  }
  Extents operator()(Extents e) const {
    e.inner_rows *= e.rows;
    e.rows = e.rows > 0 ? 1 : 0;
    return e;
  }
};
/// Permutes the loops; `tile` is the number of rows of a tile if rows were tiled before.
constexpr Permute permute(std::int64_t tile = 1) { return {{}, tile}; }

/// Rows become the keys of the whole matrix, and their entries inner columns: after compaction,
/// only the rows that are not empty.
struct RowsAsKeys : Step {
  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.inner_column = p.place;
    p.column = p.row;
    p.row = 0;
    return p;
  }
  Extents operator()(Extents e) const { return {e.rows > 0 ? 1 : 0, 0, e.rows, 1, 1}; }
};
/// Keys become rows.
constexpr RowsAsKeys rows_as_keys() { return {}; }

/// The place of an entry in its row replaces its column.
struct Normalize : Step {
  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.column = p.place;
    return p;
  }
  Extents operator()(Extents e) const {
    e.first_column = 0;  // the longest row's number of entries is not counted yet
    return e;
  }
};
/// Keys become places in the row.
constexpr Normalize normalize() { return {}; }

/// Takes the points for which predicate(point) holds, and leaves the others to the recipe that ends
/// in the opposite split.
template <class Predicate>
struct Split : Step {
  Predicate predicate;

  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.taken = p.taken && predicate(p);
    return p;
  }
  Extents operator()(Extents e) const { return e; }
};
/// Takes the points of a predicate, and leaves the others.
template <class Predicate>
constexpr Split<Predicate> split(const Predicate& predicate) {
  return {{}, predicate};
}

/// Predicate for split: entries at the first `width` places of their rows.
struct PlacesBelow {
  std::int64_t width;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Point& p) const { return p.place < width; }
};
/// Predicate for split: entries after the first `width` places of their rows.
struct PlacesFrom {
  std::int64_t width;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Point& p) const { return p.place >= width; }
};

}  // namespace heddle::recipe
