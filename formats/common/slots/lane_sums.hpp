// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/memory.hpp"
#include "../../../backends/unroll.hpp"
#include "../product.hpp"
#include "strip.hpp"

namespace heddle::detail::slots {

/// The sum of the first row of a strip times one vector, on a lane of a GPU: Batch slots at a time,
/// so that their loads are in flight together. As RowSums, but written for few instructions, which
/// is what a GPU waits for here: of a slot that does not exist or has no entry, value and x are
/// zero.
template <class Strip, class Product, int Batch>
struct LaneSums {
  using S = typename Strip::scalar_type;
  using O = typename Strip::ordinal_type;
  using Column = typename Strip::column_type;
  using Acc = typename Product::accumulator_type;

  const Strip& strip;
  const Product& product;

  /// Of the batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`.
  KOKKOS_FORCEINLINE_FUNCTION Acc add_up(int slot, int step, int stop) const {
    // A branch of a whole launch.
    return product.x.row_stride == 1 ? walk<true>(slot, step, stop) : walk<false>(slot, step, stop);
  }

 private:
  template <bool UnitStride>
  KOKKOS_FORCEINLINE_FUNCTION Acc walk(int slot, int step, int stop) const {
    const std::int64_t first = std::int64_t{slot} * strip.stride;
    const std::int64_t stride = std::int64_t{step} * strip.stride;
    const S* values = strip.values + first;
    const Column* columns = strip.columns + first;
    Acc sum(0);
    for (int left = stop - slot; left > 0; left -= step, values += stride, columns += stride) {
      Column stored[Batch];
      S value[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        stored[i] = backends::load_once(columns + i * strip.stride, i < left);
        value[i] = backends::load_once(values + i * strip.stride, i < left);
      }
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        bool wanted = i < left;
        O column;
        if constexpr (Strip::narrow) {
          wanted = wanted && stored[i] != no_delta;
          column = strip.base + static_cast<O>(stored[i]);
        } else {
          wanted = wanted && stored[i] >= 0;
          column = stored[i];
        }
        sum +=
            Acc(product.entry(value[i])) * product.template gather<UnitStride>(column, 0, wanted);
      }
    }
    return sum;
  }
};

}  // namespace heddle::detail::slots
