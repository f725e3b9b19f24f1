// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/pack_ordinals.hpp"
#include "../common/slots/add_products.hpp"
#include "view.hpp"

namespace heddle::detail::blocked_ell {

/// The sums of packs of consecutive rows of a slice times up to Vectors vectors, for CPUs: the
/// packs take the place of LaneSums' batch, their loads are in flight together.
template <class View, class Product, int Packs, int Vectors>
struct SliceSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;

  View A;
  Product product;

  /// Sets `sum` to slots [slot, stop) of the rows from `row_place` on. A slice is of one kind.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Slice<O>& slice, int row_place, int slot, int stop,
                                          Pack (&sum)[Packs][Vectors]) const {
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    if (slice.base >= 0) {
      for (; slot < stop; ++slot) add<true>(slice, row_place, slot, sum);
    } else {
      for (; slot < stop; ++slot) add<false>(slice, row_place, slot, sum);
    }
  }

 private:
  template <bool Narrow, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Slice<O>& slice, int row_place, int slot,
                                       Pack (&sum)[Packs][Vectors]) const {
    const std::uint16_t* columns = A.columns + slice.first_column;
    const S* values = A.values + slice.first_slot;
    using Columns = std::conditional_t<Narrow, backends::PackDistances<Pack, O>,
                                       backends::PackOrdinals<Pack, O>>;
    Columns column[1][Packs];
    Pack value[1][Packs];
    const std::int64_t at = (std::int64_t{slot} << A.slice_bits) + row_place;
    for (int p = 0; p < Packs; ++p) {
      const std::int64_t place = at + p * Pack::width;
      if constexpr (Narrow) {
        column[0][p] = Columns::load_once(columns + place, slice.base, true);
      } else {
        column[0][p] = Columns::load_once(reinterpret_cast<const O*>(columns) + place, true);
      }
      value[0][p] = Pack::load_once(values + place, Pack::Mask::first(Pack::width));
      if constexpr (is_complex<S>) {
        if (product.conjugate) value[0][p] = Pack::conjugate(value[0][p]);
      }
    }
    slots::add_products(product, column, value, sum);
  }
};

}  // namespace heddle::detail::blocked_ell
