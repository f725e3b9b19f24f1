// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stored_pattern.hpp"

namespace heddle::detail::ilu {

/// Where only one lane works at a row: a CPU, and devices whose teams may not wait.
struct OneLane {
  static constexpr int width = 1;
  KOKKOS_FORCEINLINE_FUNCTION int lane() const { return 0; }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T broadcast(const T& value, int) const {
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T sum(const T& value) const {
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {}
};

/// visit(p, q) for every place p in [first, stop) and q in [from, end) of the same column, both
/// ascending: one lane goes along both, several search for what each finds in the second.
template <class Lanes, class O, class Off, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void each_common(const Lanes& lanes, const O* col_idx, Off first,
                                             Off stop, Off from, Off end, const Visit& visit) {
  if constexpr (Lanes::width == 1) {
    Off p = first, q = from;
    while (p < stop && q < end) {
      const O left = col_idx[p], right = col_idx[q];
      if (left == right) visit(p, q);
      p += left <= right ? 1 : 0;
      q += right <= left ? 1 : 0;
    }
  } else {
    for (Off q = from + static_cast<Off>(lanes.lane()); q < end;
         q += static_cast<Off>(Lanes::width)) {
      const Off p = find_column(col_idx, first, stop, col_idx[q]);
      if (p < stop) visit(p, q);
    }
  }
}

/// Places of two rows of which those in the same columns meet: [first, stop) of row i and [from,
/// end) of row t.
template <class Off>
struct CommonPlaces {
  Off first, stop, from, end;
  Off base, other_base;  ///< what listed places are counted from
};

/// Where rows meet, listed for each lower entry of each row, in the order in which a factorization
/// comes to them: how many, then the two places of each, counted from the bases of CommonPlaces.
/// Two bytes a number, since a factorization reads them but once. Null where rows are searched.
struct Updates {
  const std::uint16_t* list = nullptr;
  const std::int64_t* begin = nullptr;  ///< of each row
};

/// Goes along the updates of a row.
class UpdateCursor {
 public:
  KOKKOS_FORCEINLINE_FUNCTION UpdateCursor(const Updates& updates, std::int64_t row)
      : next_(updates.list ? updates.list + updates.begin[row] : nullptr) {}

  /// visit(place in row i, place in row t) for those of its next lower entry, in turns by lanes.
  template <class Lanes, class O, class Off, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Lanes& lanes, const O* col_idx,
                                        const CommonPlaces<Off>& common, const Visit& visit) {
    if (!next_) {
      each_common(lanes, col_idx, common.first, common.stop, common.from, common.end, visit);
      return;
    }
    const int count = next_[0];
    for (int e = lanes.lane(); e < count; e += Lanes::width) {
      visit(common.base + next_[1 + 2 * e], common.other_base + next_[2 + 2 * e]);
    }
    next_ += 1 + 2 * count;
  }

 private:
  const std::uint16_t* next_;
};

}  // namespace heddle::detail::ilu
