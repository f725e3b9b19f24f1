// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace heddle::detail {

/// Binary search in [low, high): the first place for which `holds` is true, as it is for all later
/// ones, or `high`.
template <class Index, class Holds>
KOKKOS_FORCEINLINE_FUNCTION Index first_where(Index low, Index high, const Holds& holds) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The first of `count` numbers that never descend that is not below `value`, or `count`.
template <class Number, class Index>
KOKKOS_FORCEINLINE_FUNCTION Index first_not_below(const Number* numbers, Index count,
                                                  std::int64_t value) {
  return first_where(Index(0), count, [=](Index place) {
    return static_cast<std::int64_t>(numbers[place]) >= value;
  });
}

/// Binary search in [low, high) of numbers that never descend: the last place whose number is not
/// above `value`. The first is not above it. In a row pointer it finds the row of nonzero `value`.
template <class Number, class Index>
KOKKOS_FORCEINLINE_FUNCTION Index last_not_above(const Number* numbers, Index low, Index high,
                                                 std::int64_t value) {
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(numbers[middle]) <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace heddle::detail
