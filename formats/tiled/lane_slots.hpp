// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/memory.hpp"
#include "../../backends/pack_entries.hpp"
#include "tile.hpp"

/// What a lane of a GPU reads of a tile, by layout: lane l the row l % 16, and of what that row has
/// every other place, lanes from 16 on those of odd number. Each call of next() is a step.
namespace heddle::detail::tiled {

template <Scalar S>
struct LaneEntry {
  S value;
  int column;
  bool present;
};

template <Scalar S>
struct LaneOfDense {
  const S* values;
  int row;
  int column;

  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const S value = backends::load_once(values + column * tile_size + row, column < tile_size);
    const LaneEntry<S> entry{value, column & 15, column < tile_size && !backends::is_hole(value)};
    column += 2;
    return entry;
  }
};

template <Scalar S>
struct LaneOfSlots {
  const S* values;
  const unsigned char* columns;
  int width;
  int row;
  int slot;

  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const bool inside = slot < width;
    const int at = slot * tile_size + row;
    const S value = backends::load_once(values + at, inside);
    const int column = nibble(backends::load(columns + at / 2, inside), at);
    slot += 2;
    return {value, column, inside && !backends::is_hole(value)};
  }
};

template <Scalar S>
struct LaneOfRow {
  const S* values;
  const unsigned char* columns;
  int at;
  int end;

  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const bool inside = at < end;
    const S value = backends::load_once(values + at, inside);
    const int column = nibble(backends::load(columns + at / 2, inside), at);
    at += 2;
    return {value, column, inside};
  }
};

template <Scalar S>
struct LaneOfColumns {
  const S* values;
  unsigned columns;  ///< that are still to come, a bit each
  int at;

  KOKKOS_FORCEINLINE_FUNCTION static LaneOfColumns of(const S* values, unsigned columns, int half,
                                                      int row) {
    return {values, half == 0 ? columns : columns & (columns - 1), half * tile_size + row};
  }
  KOKKOS_FORCEINLINE_FUNCTION LaneEntry<S> next() {
    const bool inside = columns != 0;
    const LaneEntry<S> entry{backends::load_once(values + at, inside),
                             inside ? Kokkos::countr_zero(columns) : 0, inside};
    columns &= columns - 1;
    columns &= columns - 1;
    at += 2 * tile_size;
    return entry;
  }
};

}  // namespace heddle::detail::tiled
