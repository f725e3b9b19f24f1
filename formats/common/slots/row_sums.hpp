// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/pack.hpp"
#include "../../../backends/unroll.hpp"
#include "../product.hpp"
#include "strip.hpp"

namespace heddle::detail::slots {

/// The sums of packs of consecutive rows, the first of a strip, times up to Vectors vectors, Batch
/// slots at a time, so that their loads are in flight together. On a CPU the packs take the place
/// of the batch.
template <class Strip, class Product, int Batch, int Vectors>
struct RowSums {
  using S = typename Strip::scalar_type;
  using O = typename Strip::ordinal_type;

  const Strip& strip;
  const Product& product;

  /// Sets `sum` to the batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`.
  template <class Pack, int Packs>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(int slot, int step, int stop,
                                          Pack (&sum)[Packs][Vectors]) const {
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    for (; slot < stop; slot += step) add(slot, stop, sum);
  }

 private:
  /// Adds slots [slot, slot + Batch) before `stop`. Rows are padded, so those of the packs all
  /// exist. Columns and values are asked for together; a slot without an entry gathers zero.
  template <class Pack, int Packs>
  KOKKOS_FORCEINLINE_FUNCTION void add(int slot, int stop, Pack (&sum)[Packs][Vectors]) const {
    using Columns = std::conditional_t<Strip::narrow, backends::PackDistances<Pack, O>,
                                       backends::PackOrdinals<Pack, O>>;
    Columns column[Batch][Packs];
    Pack value[Batch][Packs];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = slot + i < stop;
      const std::int64_t at = exists ? std::int64_t{slot + i} * strip.stride : 0;
      for (int p = 0; p < Packs; ++p) {
        const auto* from = strip.columns + at + p * Pack::width;
        if constexpr (Strip::narrow) {
          column[i][p] = Columns::load_once(from, strip.base, exists);
        } else {
          column[i][p] = Columns::load_once(from, exists);
        }
        value[i][p] = Pack::load_once(strip.values + at + p * Pack::width,
                                      Pack::Mask::first(exists ? Pack::width : 0));
        if constexpr (is_complex<S>) {
          if (product.conjugate) value[i][p] = Pack::conjugate(value[i][p]);
        }
      }
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      for (int p = 0; p < Packs; ++p) {
        const auto entries = column[i][p].lanes();
        for (int v = 0; v < Vectors; ++v) {
          const auto* x = product.x.data + (v < product.x.count ? v : 0) * product.x.vector_stride;
          const Pack factor =
              column[i][p].gather(x, entries, static_cast<std::int64_t>(product.x.row_stride));
          sum[p][v] = Pack::multiply_add(value[i][p], factor, sum[p][v]);
        }
      }
    }
  }
};

}  // namespace heddle::detail::slots
