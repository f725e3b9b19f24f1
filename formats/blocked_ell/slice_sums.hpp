// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/pack.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::blocked_ell {

/// The columns of one slot of as many consecutive rows as a pack has lanes; -1 where there is no
/// entry.
template <class Pack, Ordinal O>
struct SlotColumns {
  O column[Pack::width];

  /// The slot `at` of a slice. Both kinds are loaded past the caches, since nobody reads them
  /// again.
  template <bool Narrow>
  KOKKOS_FORCEINLINE_FUNCTION static SlotColumns load(const std::uint16_t* columns, O base,
                                                      std::int64_t at, bool exists) {
    SlotColumns slot;
    for (int i = 0; i < Pack::width; ++i) {
      if constexpr (Narrow) {
        const std::uint16_t delta = backends::load_once(columns + at + i, exists);
        slot.column[i] = exists && delta != no_delta ? static_cast<O>(base + delta) : O(-1);
      } else {
        const O* wide = reinterpret_cast<const O*>(columns) + at + i;
        const O column = backends::load_once(wide, exists);
        slot.column[i] = exists ? column : O(-1);
      }
    }
    return slot;
  }
  KOKKOS_FORCEINLINE_FUNCTION typename Pack::Mask entries() const {
    return Pack::Mask::above(column, O(-1));
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION Pack gather(const U* from, const typename Pack::Mask& mask,
                                          std::int64_t stride) const {
    if constexpr (Pack::width == 1) {
      return Pack::load(from + static_cast<std::int64_t>(column[0]) * stride, mask);
    } else {
      return Pack::gather(from, column, mask, stride);
    }
  }
};

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
    SlotColumns<Pack, O> column[Batch][Packs];
    Pack value[Batch][Packs];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = slot + i < stop;
      const std::int64_t at =
          (exists ? (std::int64_t{slot} + i) << A.slice_bits : std::int64_t{0}) + row_place;
      for (int p = 0; p < Packs; ++p) {
        const auto all_lanes = Pack::Mask::first(exists ? Pack::width : 0);
        column[i][p] = SlotColumns<Pack, O>::template load<Narrow>(columns, slice.base,
                                                                   at + p * Pack::width, exists);
        value[i][p] = Pack::load_once(values + at + p * Pack::width, all_lanes);
        if constexpr (is_complex<S>) {
          if (product.conjugate) value[i][p] = Pack::conjugate(value[i][p]);
        }
      }
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      for (int p = 0; p < Packs; ++p) {
        const auto entries = column[i][p].entries();
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

}  // namespace heddle::detail::blocked_ell
