// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "coordinates.hpp"

namespace heddle::recipe {

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

/// The same of columns that begin at zero.
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

/// Permutes the loops: that over rows goes inside, so that there is one panel, and the keys are
/// those of the whole matrix.
struct Permute : Step {
  std::int64_t inner_rows = 1;  ///< of the steps before

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
/// With the rows of a tile where the rows are tiled before.
constexpr Permute permute(std::int64_t tile = 1) { return {{}, tile}; }

/// Rows are the keys, those of the whole matrix, and their entries lie inside: after compact, the
/// rows that are not empty.
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

/// The place of an entry in its row takes the place of its column.
struct Normalize : Step {
  KOKKOS_FORCEINLINE_FUNCTION Point operator()(Point p) const {
    p.column = p.place;
    return p;
  }
  Extents operator()(Extents e) const {
    e.first_column = 0;  // as many as the longest row has entries, which nobody has counted yet
    return e;
  }
};
/// Keys become places in the row.
constexpr Normalize normalize() { return {}; }

/// Takes the points for which predicate(point) holds, and leaves the others: to the recipe that
/// ends in split(what the other leaves).
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

/// For split: entries at the first `width` places of their rows.
struct PlacesBelow {
  std::int64_t width;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Point& p) const { return p.place < width; }
};
/// For split: entries behind the first `width` places of their rows.
struct PlacesFrom {
  std::int64_t width;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Point& p) const { return p.place >= width; }
};

}  // namespace heddle::recipe
