// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/pack_ordinals.hpp"
#include "../common/slots/add_products.hpp"
#include "view.hpp"

namespace heddle::detail::blocked_ell {

/// The sums of packs of consecutive rows of a slice times up to Vectors vectors, Batch slots at a
/// time, so that their loads are in flight together.
template <class View, class Product, int Packs, int Batch, int Vectors>
struct SliceSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  static constexpr int batch = Batch;

  View A;
  Product product;

  /// Sets `sum` to the batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`,
  /// of the rows from `row_place` on. A slice is of one kind, and lanes of a warp mostly of one
  /// slice.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Slice<O>& slice, int row_place, int slot, int step,
                                          int stop, Pack (&sum)[Packs][Vectors]) const {
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    if (slice.base >= 0) {
      for (; slot < stop; slot += step) add<true>(slice, row_place, slot, stop, sum);
    } else {
      for (; slot < stop; slot += step) add<false>(slice, row_place, slot, stop, sum);
    }
  }

 private:
  template <bool Narrow, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Slice<O>& slice, int row_place, int slot, int stop,
                                       Pack (&sum)[Packs][Vectors]) const {
    const std::uint16_t* columns = A.columns + slice.first_column;
    const S* values = A.values + slice.first_slot;
    using Columns = std::conditional_t<Narrow, backends::PackDistances<Pack, O>,
                                       backends::PackOrdinals<Pack, O>>;
    Columns column[Batch][Packs];
    Pack value[Batch][Packs];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = slot + i < stop;
      const std::int64_t at =
          (exists ? (std::int64_t{slot} + i) << A.slice_bits : std::int64_t{0}) + row_place;
      for (int p = 0; p < Packs; ++p) {
        const auto all_lanes = Pack::Mask::first(exists ? Pack::width : 0);
        const std::int64_t place = at + p * Pack::width;
        if constexpr (Narrow) {
          column[i][p] = Columns::load_once(columns + place, slice.base, exists);
        } else {
          const O* const ordinals = reinterpret_cast<const O*>(columns) + place;
          column[i][p] = Columns::load_once(ordinals, exists);
        }
        value[i][p] = Pack::load_once(values + place, all_lanes);
        if constexpr (is_complex<S>) {
          if (product.conjugate) value[i][p] = Pack::conjugate(value[i][p]);
        }
      }
    }
    slots::add_products(product, column, value, sum);
  }
};

}  // namespace heddle::detail::blocked_ell
