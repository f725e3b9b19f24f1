// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lane_sums.hpp"
#include "row_sums.hpp"

namespace heddle::detail::slots {

/// Sets `sum` to what the first rows of a strip, a pack each, come to times up to Vectors vectors:
/// of the batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`. On a GPU one
/// vector has a loop of its own.
template <int Batch, class Team, class Strip, class Product, class Pack, int Packs, int Vectors>
KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team&, const Strip& strip, const Product& product,
                                        int slot, int step, int stop, Pack (&sum)[Packs][Vectors]) {
  if constexpr (Team::threads > 1 && Vectors == 1) {
    static_assert(Packs == 1);
    sum[0][0] = Pack::all(LaneSums<Strip, Product, Batch>{strip, product}.add_up(slot, step, stop));
  } else {
    RowSums<Strip, Product, Batch, Vectors>{strip, product}.add_up(slot, step, stop, sum);
  }
}

}  // namespace heddle::detail::slots
