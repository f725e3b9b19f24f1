// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/unroll.hpp"
#include "../product.hpp"

namespace heddle::detail::slots {

/// Adds to the sums of packs of rows what a batch of their slots comes to times up to Vectors
/// vectors of x: `column` is where each gathers, and a slot without an entry gathers zero.
template <class Product, class Columns, class Pack, int Batch, int Packs, int Vectors>
KOKKOS_FORCEINLINE_FUNCTION void add_products(const Product& product,
                                              const Columns (&column)[Batch][Packs],
                                              const Pack (&value)[Batch][Packs],
                                              Pack (&sum)[Packs][Vectors]) {
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

}  // namespace heddle::detail::slots
