// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/memory.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::blocked_ell {

/// The sums of one row of a slice times up to Vectors vectors, on a lane of a GPU: Batch slots at a
/// time, so that their loads are in flight together. As SliceSums, but written for few
/// instructions, which is what a GPU waits for here: of a slot that does not exist or has no entry,
/// value and x are zero.
template <class View, class Product, int Batch, int Vectors>
struct LaneSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  const View& A;
  const Product& product;

  /// Adds the batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`.
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Slice<O>& slice, int row_place, int slot, int step,
                                          int stop, Acc (&sum)[Vectors]) const {
    // Branches of a whole launch, or of whole slices.
    if (product.x.row_stride != 1) {
      slice.base >= 0 ? walk<true, false>(slice, row_place, slot, step, stop, sum)
                      : walk<false, false>(slice, row_place, slot, step, stop, sum);
    } else {
      slice.base >= 0 ? walk<true, true>(slice, row_place, slot, step, stop, sum)
                      : walk<false, true>(slice, row_place, slot, step, stop, sum);
    }
  }

 private:
  template <bool Narrow, bool UnitStride>
  KOKKOS_FORCEINLINE_FUNCTION void walk(const Slice<O>& slice, int row_place, int slot, int step,
                                        int stop, Acc (&sum)[Vectors]) const {
    using Column = std::conditional_t<Narrow, std::uint16_t, O>;
    const auto rows = static_cast<unsigned>(A.slice_rows());
    const std::int64_t first = (std::int64_t{slot} << A.slice_bits) + row_place;
    const std::int64_t stride = std::int64_t{step} << A.slice_bits;
    const S* values = A.values + slice.first_slot + first;
    const Column* columns = reinterpret_cast<const Column*>(A.columns + slice.first_column) + first;
    for (int left = stop - slot; left > 0; left -= step, values += stride, columns += stride) {
      Column stored[Batch];
      S value[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        stored[i] = backends::load_once(columns + i * rows, i < left);
        value[i] = backends::load_once(values + i * rows, i < left);
      }
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        bool wanted = i < left;
        O column;
        if constexpr (Narrow) {
          wanted = wanted && stored[i] != no_delta;
          column = slice.base + static_cast<O>(stored[i]);
        } else {
          wanted = wanted && stored[i] >= 0;
          column = stored[i];
        }
        const Acc entry(product.entry(value[i]));
        for (int v = 0; v < Vectors; ++v) {
          sum[v] += entry * product.template gather<UnitStride>(column, v, wanted);
        }
      }
    }
  }
};

}  // namespace heddle::detail::blocked_ell
