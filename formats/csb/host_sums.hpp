// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "walk.hpp"

namespace heddle::detail::csb {

/// Adds up a piece where a team is one thread: one entry after the other.
template <class Walk>
struct HostSums {
  using Off = typename Walk::Off;
  using Acc = typename Walk::Acc;

  const Walk& walk;

  template <class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Piece& piece, Acc* sums) const {
    const int count = walk.product.x.count;
    walk.each_block(piece, [&](Off first, Off last, std::int64_t x_first, bool diagonal) {
      for (Off k = first; k < last; ++k) {
        const int key = walk.key(k), source = walk.source(k);
        if (diagonal && key == source) continue;
        const auto value = walk.product.entry(walk.A.values[k]);
        if constexpr (Walk::vectors == 1) {
          sums[key] += walk.product.product(value, x_first + source, 0);
        } else {
          for (int v = 0; v < count; ++v) {
            sums[key * Walk::vectors + v] += walk.product.product(value, x_first + source, v);
          }
        }
      }
    });
  }
};

}  // namespace heddle::detail::csb
