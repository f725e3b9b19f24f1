// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/atomics.hpp"
#include "../../../backends/subwarp.hpp"

namespace heddle::detail::matrix_product {

/// The slots of a table of `keys` columns, a power of two, at most half of which are taken.
KOKKOS_FORCEINLINE_FUNCTION int table_bits(std::int64_t keys) {
  int bits = 1;
  while ((std::int64_t{1} << bits) < 2 * keys) ++bits;
  return bits;
}

/// The columns of one row, found by a hash: a slot for each, open addressing, in scratch. Lanes
/// insert at the same time; which column has which slot depends on who is first, and nothing that
/// is made of it does.
template <class Subwarp, Ordinal O>
struct ColumnTable {
  static constexpr O none = -1;

  O* keys;
  int bits;

  KOKKOS_FORCEINLINE_FUNCTION int slots() const { return 1 << bits; }
  KOKKOS_FORCEINLINE_FUNCTION int first_slot(O column) const {
    const std::uint64_t hash = static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15u;
    return static_cast<int>(hash >> (64 - bits));
  }
  KOKKOS_FORCEINLINE_FUNCTION int next(int slot) const { return (slot + 1) & (slots() - 1); }

  /// All lanes call it; before another inserts they sync.
  KOKKOS_FORCEINLINE_FUNCTION void clear(const Subwarp& subwarp) const {
    for (int slot = subwarp.lane(); slot < slots(); slot += Subwarp::width) keys[slot] = none;
  }

  /// Whether the column was not there yet; `slot` is its slot.
  KOKKOS_FORCEINLINE_FUNCTION bool insert(O column, int& slot) const {
    slot = first_slot(column);
    while (true) {
      O there;
      if constexpr (Subwarp::width == 1) {
        there = keys[slot];
        if (there == none) keys[slot] = column;
      } else {
        there = backends::atomic_compare_exchange(&keys[slot], none, column);
      }
      if (there == none) return true;
      if (there == column) return false;
      slot = next(slot);
    }
  }

  /// The slot of a column, or -1 if it is not there. No lane inserts meanwhile.
  KOKKOS_FORCEINLINE_FUNCTION int find(O column) const {
    int slot = first_slot(column);
    while (keys[slot] != column) {
      if (keys[slot] == none) return -1;
      slot = next(slot);
    }
    return slot;
  }
};

}  // namespace heddle::detail::matrix_product
