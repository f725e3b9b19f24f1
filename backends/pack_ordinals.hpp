// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack.hpp"

namespace heddle::backends {

/// The ordinals by which the lanes of a Pack gather, loaded once: -1 where a lane has none.
/// On a CPU they stay where they are, in the first-level cache.
template <class Pack, Ordinal O>
struct PackOrdinals {
  using Mask = typename Pack::Mask;
  const O* at;
  bool wanted;

  KOKKOS_FORCEINLINE_FUNCTION static PackOrdinals load_once(const O* from, bool wanted) {
    return {from, wanted};
  }
  /// The lanes that have one.
  KOKKOS_FORCEINLINE_FUNCTION Mask lanes() const {
    return wanted ? Mask::above(at, O(-1)) : Mask::first(0);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION Pack gather(const U* from, const Mask& mask,
                                          std::int64_t stride) const {
    return Pack::gather(from, at, mask, stride);
  }
};

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

}  // namespace heddle::backends
