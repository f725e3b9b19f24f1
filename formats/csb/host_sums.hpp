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
    walk.each_block(piece, [&](Off first, Off last, std::int64_t x_first, bool mirrors) {
      if (mirrors) {
        for (Off k = first; k < last; ++k) {
          add<false>(k, x_first, sums);
          if (walk.template key<false>(k) != walk.template source<false>(k)) {
            add<true>(k, x_first, sums);
          }
        }
      } else {
        for (Off k = first; k < last; ++k) add<false>(k, x_first, sums);
      }
    });
  }

 private:
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION void add(Off k, std::int64_t x_first, Acc* sums) const {
    const int key = walk.template key<Mirrored>(k);
    const std::int64_t row_of_x = x_first + walk.template source<Mirrored>(k);
    const auto value = walk.template entry<Mirrored>(walk.A.values[k]);
    if constexpr (Walk::vectors == 1) {
      sums[key] += walk.product.product(value, row_of_x, 0);
    } else {
      for (int v = 0; v < walk.product.x.count; ++v) {
        sums[key * Walk::vectors + v] += walk.product.product(value, row_of_x, v);
      }
    }
  }
};

}  // namespace heddle::detail::csb
