// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>

#include "pack.hpp"

namespace heddle::backends {

namespace detail {
template <Scalar S>
using HoleWord = std::conditional_t<sizeof(RealOf<S>) == 4, std::int32_t, std::int64_t>;
/// A quiet NaN that no arithmetic makes by itself, and the one that stands in for it if a user
/// does.
template <Scalar S>
inline constexpr HoleWord<S> hole_word =
    static_cast<HoleWord<S>>(sizeof(RealOf<S>) == 4 ? 0x7fc0401e : 0x7ff8401e401e401e);
template <Scalar S>
inline constexpr HoleWord<S> other_nan_word =
    static_cast<HoleWord<S>>(sizeof(RealOf<S>) == 4 ? 0x7fc00000 : 0x7ff8000000000000);

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void put_word(S* place, HoleWord<S> word) {
  *place = S(0);
  memcpy(reinterpret_cast<unsigned char*>(place), &word, sizeof word);
}
}  // namespace detail

/// Whether a place of a format that stores more than the matrix has is a hole: one without an
/// entry. The value itself says so, a NaN of its own (of a complex value, its real part), so that
/// what is infinite in x does not reach a row that does not hold it, and no mask is read for that.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool is_hole(const S& value) {
  detail::HoleWord<S> word;
  memcpy(&word, reinterpret_cast<const unsigned char*>(&value), sizeof word);
  return word == detail::hole_word<S>;
}

/// Makes a place a hole.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void put_hole(S* place) {
  detail::put_word(place, detail::hole_word<S>);
}

/// Stores an entry, or adds it to one that is there. It is no hole, whatever NaN it is.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void add_entry(S* place, const S& entry) {
  *place = is_hole(*place) ? entry : *place + entry;
  if (is_hole(*place)) detail::put_word(place, detail::other_nan_word<S>);
}

/// The values of consecutive places that the lanes of a Pack multiply by, and which lanes have one.
/// A lane without one may hold any number, NaN included.
template <class Pack, Scalar S>
struct PackEntries {
  using Mask = typename Pack::Mask;
  Pack value;
  Mask present;

  /// Places outside `within` are not touched.
  KOKKOS_FORCEINLINE_FUNCTION void load_once(const S* from, const Mask& within) {
    using Word = detail::HoleWord<S>;
    constexpr std::int64_t stride = sizeof(S) / sizeof(Word);
    value = Pack::load_once(from, within);
    present = within.all()
                  ? Mask::unlike(reinterpret_cast<const Word*>(from), stride, detail::hole_word<S>)
                  : Mask::where([&](int i) __attribute__((always_inline)) {
                      return within.lane(i) && !is_hole(from[i]);
                    });
  }
  /// The sum, and in the lanes that have an entry what its product with x adds to it.
  KOKKOS_FORCEINLINE_FUNCTION Pack multiply_add(const Pack& x, const Pack& sum) const {
    // Of zeros rather than by a choice of sums, which the next sum would have to wait for.
    return Pack::multiply_add(Pack::keep(present, value), Pack::keep(present, x), sum);
  }
};

/// In a register of the lane.
template <Scalar T, Scalar S>
struct PackEntries<SinglePack<T>, S> {
  using Pack = SinglePack<T>;
  using Mask = typename Pack::Mask;
  Pack value;
  Mask present;

  KOKKOS_FORCEINLINE_FUNCTION void load_once(const S* from, Mask within) {
    const S stored = backends::load_once(from, within.any());
    value = {T(stored)};
    present = Mask::where(within.any() && !is_hole(stored));
  }
  KOKKOS_FORCEINLINE_FUNCTION Pack multiply_add(Pack x, Pack sum) const {
    return Pack::select(present, Pack::multiply_add(value, x, sum), sum);
  }
};

}  // namespace heddle::backends
