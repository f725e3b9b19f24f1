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

/// The entries of a row of L or U, off its diagonal.
template <Scalar S, Ordinal O>
struct RowPart {
  const O* columns;  ///< ascending
  const S* values;
  O size;
};

/// Whether the entries of the shorter row are searched for in the longer one, since going along
/// both would take the time of the longer: that of all rows which meet a full one grows with its
/// square.
template <class O>
KOKKOS_FORCEINLINE_FUNCTION bool much_longer(O longer, O shorter) {
  return longer / 8 > shorter;
}

/// visit(p, q) for every p in [first, stop) and q in [0, size) with columns[p] == others[q], both
/// ascending: one lane goes along both, several search for what each finds in the second; and where
/// one is much longer its entries are searched.
template <class Lanes, class Column, class O, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void each_common(const Lanes& lanes, const Column* columns, O first,
                                             O stop, const Column* others, O size,
                                             const Visit& visit) {
  if (much_longer(size, static_cast<O>(stop - first))) {
    for (O p = first + static_cast<O>(lanes.lane()); p < stop; p += static_cast<O>(Lanes::width)) {
      const O q = find_column(others, O(0), size, columns[p]);
      if (q < size) visit(p, q);
    }
  } else if (Lanes::width > 1 || much_longer(static_cast<O>(stop - first), size)) {
    for (O q = static_cast<O>(lanes.lane()); q < size; q += static_cast<O>(Lanes::width)) {
      const O p = find_column(columns, first, stop, others[q]);
      if (p < stop) visit(p, q);
    }
  } else {
    O p = first, q = 0;
    while (p < stop && q < size) {
      const Column left = columns[p], right = others[q];
      if (left == right) visit(p, q);
      p += left <= right ? 1 : 0;
      q += right <= left ? 1 : 0;
    }
  }
}

/// Where rows meet, listed for each lower entry of each row, in the order in which a factorization
/// comes to them: how many, then the two places of each that search() of a row visits. Two bytes a
/// number, since a factorization reads them but once. Null where rows are searched.
struct Updates {
  const std::uint16_t* list = nullptr;
  const std::int64_t* begin = nullptr;  ///< of each row
};

/// Numbers behind the list, which are read ahead and not used.
inline constexpr std::int64_t numbers_read_ahead = 1 + 2 * 64;

/// Goes along the updates of a row. Of a lower entry each lane takes one at a time, the first of
/// them loaded while the entry before is subtracted: the list needs no other row, so nobody who
/// waited for a row waits for memory of the list too.
template <class Lanes>
class UpdateCursor {
 public:
  KOKKOS_FORCEINLINE_FUNCTION UpdateCursor(const Lanes& lanes, const Updates& updates,
                                           std::int64_t row)
      : lanes_(lanes), next_(updates.list ? updates.list + updates.begin[row] : nullptr) {
    if (reads_ahead && listed()) ahead_ = load();
  }

  KOKKOS_FORCEINLINE_FUNCTION bool listed() const { return next_ != nullptr; }
  /// Whether this lane has an update of the next lower entry; where it lies in row i and in row t.
  KOKKOS_FORCEINLINE_FUNCTION bool exists() const {
    return reads_ahead && listed() && lanes_.lane() < ahead_.count;
  }
  KOKKOS_FORCEINLINE_FUNCTION int in_row() const { return ahead_.in_row; }
  KOKKOS_FORCEINLINE_FUNCTION int in_other() const { return ahead_.in_other; }

  /// visit(place in row i, place in row t) for those of the next lower entry that exists() does not
  /// say, in turns by lanes; and goes on to the entry behind it.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_other(const Visit& visit) {
    const std::uint16_t* const list = next_;
    const int count = reads_ahead ? ahead_.count : list[0];
    next_ += 1 + 2 * count;
    if constexpr (reads_ahead) ahead_ = load();
    for (int e = lanes_.lane() + (reads_ahead ? Lanes::width : 0); e < count; e += Lanes::width) {
      visit(list[1 + 2 * e], list[2 + 2 * e]);
    }
  }

 private:
  static constexpr bool reads_ahead = Lanes::width > 1;
  struct Ahead {
    int count, in_row, in_other;
  };

  /// A lane that has no update reads another's, or what is behind the list.
  KOKKOS_FORCEINLINE_FUNCTION Ahead load() const {
    const std::uint16_t* const mine = next_ + 2 * lanes_.lane();
    return {next_[0], mine[1], mine[2]};
  }

  const Lanes& lanes_;
  const std::uint16_t* next_;
  Ahead ahead_{};
};

}  // namespace heddle::detail::ilu
