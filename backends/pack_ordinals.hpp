// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <limits>

#include "pack.hpp"

namespace heddle::backends {

/// The ordinals by which the lanes of a Pack gather, loaded once: -1 where a lane has none. On a
/// CPU such a lane loads from[0], which must exist if any slot does, and the mask takes it out: a
/// branch for each lane would be foreseen wrongly. There lanes are asked for that are wanted only.
template <class Pack, Ordinal O>
struct PackOrdinals;

#ifdef HEDDLE_COMPILES_PACKS
/// Written with vectors, which compilers do not find by themselves here.
template <class Pack, Ordinal O>
struct PackOrdinals {
  using Mask = typename Pack::Mask;
  using Vector = detail::Vector<O, Pack::width>;
  O ordinal[Pack::width];

  KOKKOS_FORCEINLINE_FUNCTION static PackOrdinals load_once(const O* from, bool) {
    PackOrdinals ordinals;
    std::memcpy(ordinals.ordinal, from, sizeof ordinals.ordinal);
    return ordinals;
  }
  /// The lanes that have one.
  KOKKOS_FORCEINLINE_FUNCTION Mask lanes() const { return Mask::above(ordinal, O(-1)); }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION Pack gather(const U* from, const Mask& mask,
                                          std::int64_t stride) const {
    Vector all;
    std::memcpy(&all, ordinal, sizeof all);
    all &= ~(all >> (8 * static_cast<int>(sizeof(O)) - 1));
    O loaded[Pack::width];
    std::memcpy(loaded, &all, sizeof all);
    return Pack::keep(mask, Pack::gather(from, loaded, stride));
  }
};
#endif

/// In a register of the lane.
template <Scalar T, Ordinal O>
struct PackOrdinals<SinglePack<T>, O> {
  using Mask = typename SinglePack<T>::Mask;
  O ordinal;
  bool wanted;

  KOKKOS_FORCEINLINE_FUNCTION static PackOrdinals load_once(const O* from, bool wanted) {
    return {backends::load_once(from, wanted), wanted};
  }
  KOKKOS_FORCEINLINE_FUNCTION Mask lanes() const { return {wanted && ordinal >= 0}; }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION SinglePack<T> gather(const U* from, Mask mask,
                                                   std::int64_t stride) const {
    return SinglePack<T>::load(from + static_cast<std::int64_t>(ordinal) * stride, mask);
  }
};

/// What stands for the distance of a lane that has no ordinal.
inline constexpr std::uint16_t no_distance = std::numeric_limits<std::uint16_t>::max();

/// The same from 16-bit distances from a common base, of at least 0; no_distance where a lane has
/// none.
template <class Pack, Ordinal O>
struct PackDistances;

#ifdef HEDDLE_COMPILES_PACKS
template <class Pack, Ordinal O>
struct PackDistances : PackOrdinals<Pack, O> {
  using Vector = typename PackOrdinals<Pack, O>::Vector;

  KOKKOS_FORCEINLINE_FUNCTION static PackDistances load_once(const std::uint16_t* from, O base,
                                                             bool) {
    detail::Vector<std::uint16_t, Pack::width> distances;
    std::memcpy(&distances, from, sizeof distances);
    Vector wide = __builtin_convertvector(distances, Vector);
    wide = (wide + base) | (wide == O{no_distance});  // all bits are set where there is none
    PackDistances ordinals;
    std::memcpy(ordinals.ordinal, &wide, sizeof wide);
    return ordinals;
  }
};
#endif

template <Scalar T, Ordinal O>
struct PackDistances<SinglePack<T>, O> : PackOrdinals<SinglePack<T>, O> {
  KOKKOS_FORCEINLINE_FUNCTION static PackDistances load_once(const std::uint16_t* from, O base,
                                                             bool wanted) {
    const std::uint16_t distance = backends::load_once(from, wanted);
    return {{static_cast<O>(base + distance), wanted && distance != no_distance}};
  }
};

}  // namespace heddle::backends
