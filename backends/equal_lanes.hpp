// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

#include "subwarp.hpp"

namespace heddle::backends {

/// One bit a lane, lane 0 lowest, set if it passed the value that this lane passed. All lanes of
/// the subwarp call it together. By an instruction of the device, or by a ballot for each value.
template <ExecutionSpace Exec, int W, std::integral T>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t equal_lanes(const Subwarp<Exec, W>& subwarp, T value) {
  using Lanes = typename Backend<Exec>::Lanes;
  if constexpr (requires { Lanes::template equal_lanes<W>(value); }) {
    return Lanes::template equal_lanes<W>(value);
  } else {
    std::uint64_t mine = 0;
    for (std::uint64_t left = subwarp.ballot(true); left != 0;) {
      const bool same = value == subwarp.shuffle(value, countr_zero(left));
      const std::uint64_t lanes = subwarp.ballot(same);
      if (same) mine = lanes;
      left &= ~lanes;
    }
    return mine;
  }
}

/// For the first lane of each value, the sum of what its equal lanes passed; of no use to others.
/// `equal` is what equal_lanes() returned, or 0 for a lane that takes no part. All lanes of the
/// subwarp call it together. The order is a tree's: as many steps as the largest group has bits.
/// Source: E. Westphal, "Voting and shuffling for fast atomics", NVIDIA Technical Blog, 2015.
template <ExecutionSpace Exec, int W, class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_of_equal_lanes(const Subwarp<Exec, W>& subwarp,
                                                 std::uint64_t equal, T value) {
  const int lane = subwarp.lane();
  const std::uint64_t below = (std::uint64_t{1} << lane) - 1;
  int place = popcount(equal & below);
  std::uint64_t above = equal & ~(below + 1 + below);  // equal lanes whose sums are not added yet
  while (subwarp.any(above != 0)) {
    const T other = subwarp.shuffle(value, above ? countr_zero(above) : lane);
    if (above) value += other;
    above &= ~subwarp.ballot(place % 2 == 1);
    place /= 2;
  }
  return value;
}

}  // namespace heddle::backends
