// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/subwarp.hpp"

namespace heddle::detail {

/// Where a lane stands among those of its subwarp that have the same key.
struct SameLanes {
  int below;  ///< such lanes below this one
  bool last;  ///< none is above
};

/// Of the lanes with `taken`; keys are compared in their lowest `bits` bits. A ballot a bit; all
/// lanes call it, with the same `bits`.
template <class Subwarp, class Key>
KOKKOS_FORCEINLINE_FUNCTION SameLanes same_lanes(const Subwarp& subwarp, Key key, int bits,
                                                 bool taken) {
  if constexpr (Subwarp::width == 1) {
    return {0, true};
  } else {
    std::uint64_t same = subwarp.ballot(taken);
    for (int bit = 0; bit < bits; ++bit) {
      const bool one = ((key >> bit) & 1) != 0;
      const std::uint64_t ones = subwarp.ballot(one);
      same &= one ? ones : ~ones;
    }
    const std::uint64_t self = std::uint64_t{1} << subwarp.lane();
    return {static_cast<int>(Kokkos::popcount(same & (self - 1))), same >> subwarp.lane() == 1};
  }
}

}  // namespace heddle::detail
