// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

namespace heddle::detail::sptrsv {

/// Entries of a row from which it is added up in several sums.
inline constexpr int long_row = 32;

/// difference - product(k) - ... - product(end - 1), by one thread.
template <class Acc, class Off, class Product>
KOKKOS_FORCEINLINE_FUNCTION Acc row_difference(Acc difference, Off k, Off end,
                                               const Product& product) {
  if (end - k >= long_row) {
    Acc sum[4] = {};
    for (; end - k >= 4; k += 4) {
      sum[0] += product(k);
      sum[1] += product(k + 1);
      sum[2] += product(k + 2);
      sum[3] += product(k + 3);
    }
    difference -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  for (; k < end; ++k) difference -= product(k);
  return difference;
}

}  // namespace heddle::detail::sptrsv
