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
      const bool same = value == subwarp.shuffle(value, Kokkos::countr_zero(left));
      const std::uint64_t lanes = subwarp.ballot(same);
      if (same) mine = lanes;
      left &= ~lanes;
    }
    return mine;
  }
}

}  // namespace heddle::backends
