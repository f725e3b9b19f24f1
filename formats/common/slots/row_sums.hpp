// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/pack.hpp"
#include "../../../backends/pack_ordinals.hpp"
#include "add_products.hpp"

namespace heddle::detail::slots {

/// The sums of packs of consecutive rows of A, an ell::View, times up to Vectors vectors, Batch
/// slots at a time, so that their loads are in flight together.
template <class View, class Product, ExecutionSpace Exec, int Packs, int Batch, int Vectors>
struct RowSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  static constexpr int packs = Packs;
  static constexpr int batch = Batch;
  static constexpr int vectors = Vectors;
  static constexpr int rows_per_lane = Packs * backends::Pack<Exec, Acc>::width;

  View A;
  Product product;

  /// Adds to zeros the batches of slots that begin at `slot`, `slot` + `step`, ..., of the packs of
  /// rows from `first` on.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(std::int64_t first, int slot, int step,
                                          Pack (&sum)[Packs][Vectors]) const {
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    for (; slot < A.width; slot += step) add(first, slot, sum);
  }

 private:
  /// Adds slots [slot, slot + Batch) that exist. Rows are padded, so those of the packs all exist.
  /// Columns and values are asked for together; a slot without an entry holds a zero.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t first, int slot,
                                       Pack (&sum)[Packs][Vectors]) const {
    using Ordinals = backends::PackOrdinals<Pack, O>;
    Ordinals column[Batch][Packs];
    Pack value[Batch][Packs];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = slot + i < A.width;
      const std::int64_t at = exists ? (slot + i) * A.stride + first : 0;
      for (int p = 0; p < Packs; ++p) {
        const auto all_lanes = Pack::Mask::first(exists ? Pack::width : 0);
        column[i][p] = Ordinals::load_once(A.col_idx + at + p * Pack::width, exists);
        value[i][p] = Pack::load_once(A.values + at + p * Pack::width, all_lanes);
        if constexpr (is_complex<S>) {
          if (product.conjugate) value[i][p] = Pack::conjugate(value[i][p]);
        }
      }
    }
    slots::add_products(product, column, value, sum);
  }
};

}  // namespace heddle::detail::slots
