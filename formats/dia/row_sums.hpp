// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/pack_entries.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::dia {

/// The sums of packs of consecutive rows of op(A) times up to Vectors vectors, Batch diagonals at a
/// time, so that their loads are in flight together.
///
/// Row i of A has its entry of a diagonal at place i and multiplies row i + offset of x; row j of
/// the transpose has it at place j - offset, and multiplies row j - offset of x.
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
  bool transposed;

  /// Sets `sum` to all diagonals, of the packs of rows from `first` on.
  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team&, std::int64_t first,
                                          Pack (&sum)[Packs][Vectors]) const {
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    for (int d = 0; d < A.diagonals; d += Batch) {
      add(first, d, A.diagonals, A.offsets + d, sum);
    }
  }

 private:
  /// Diagonals [d, d + Batch) before `end`. Values and x are asked for together, and what lies
  /// beyond the ends of either is not touched.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t first, int d, int end, const O* offsets,
                                       Pack (&sum)[Packs][Vectors]) const {
    using Mask = typename Pack::Mask;
    backends::PackEntries<Pack, S> entries[Batch][Packs];
    Mask inside[Batch][Packs];
    std::int64_t row_of_x[Batch];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = d + i < end;
      const std::int64_t offset = exists ? offsets[i] : 0;
      row_of_x[i] = first + (transposed ? -offset : offset);
      const S* values = A.values + (d + i) * A.stride + (transposed ? row_of_x[i] : first);
      for (int p = 0; p < Packs; ++p) {
        inside[i][p] =
            Mask::within(row_of_x[i] + p * Pack::width, exists ? product.x.rows : std::int64_t{0});
        entries[i][p].load_once(values + p * Pack::width, inside[i][p]);
        if constexpr (is_complex<S>) {
          if (product.conjugate) entries[i][p].value = Pack::conjugate(entries[i][p].value);
        }
      }
    }
    const std::int64_t stride = product.x.row_stride;
    for (int v = 0; v < Vectors; ++v) {
      const auto* x = product.x.data + (v < product.x.count ? v : 0) * product.x.vector_stride;
      Pack factor[Batch][Packs];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        for (int p = 0; p < Packs; ++p) {
          const auto* from = x + (row_of_x[i] + p * Pack::width) * stride;
          factor[i][p] = stride == 1 ? Pack::load(from, inside[i][p])
                                     : Pack::strided(from, stride, inside[i][p]);
        }
      }
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        for (int p = 0; p < Packs; ++p) {
          sum[p][v] = entries[i][p].multiply_add(factor[i][p], sum[p][v]);
        }
      }
    }
  }
};

}  // namespace heddle::detail::dia
