// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail::vectors {

/// A number that a launch reads: given by the host, or in memory of the device, one for all vectors
/// or one for each.
template <Scalar Acc>
struct Factor {
  const Acc* place = nullptr;
  std::int64_t stride = 0;
  Acc value{};

  KOKKOS_FORCEINLINE_FUNCTION Acc of(int vector) const {
    return place ? place[vector * stride] : value;
  }
};

}  // namespace heddle::detail::vectors
