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
///
/// Pack p of a lane begins p * Spacing rows behind its first: side by side on a CPU, and a team
/// apart on a GPU, where neighbouring lanes read neighbouring rows. Unless Masked, no row of a pack
/// may lie beyond the last, nor a row of x that it asks for beyond either end.
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

  /// Adds diagonals [begin, end) of the packs of rows from `first` on; offsets[0] is that of
  /// `begin`.
  template <int Spacing, bool Masked, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(std::int64_t first, int begin, int end, const O* offsets,
                                          Pack (&sum)[Packs][Vectors]) const {
    int d = begin;
    if constexpr (!Masked) {
      for (; d + Batch <= end; d += Batch) {
        add<Spacing, false>(first, d, end, offsets + (d - begin), sum);
      }
    }
    for (; d < end; d += Batch) {
      add<Spacing, true>(first, d, end, offsets + (d - begin), sum);
    }
  }

  /// Whether `count` rows from `first` on all exist, and what these diagonals make them ask for of
  /// x.
  KOKKOS_FORCEINLINE_FUNCTION bool inside(std::int64_t first, std::int64_t count, const O* offsets,
                                          int diagonals) const {
    const std::int64_t lowest = transposed ? -std::int64_t{offsets[diagonals - 1]} : offsets[0];
    const std::int64_t highest = transposed ? -std::int64_t{offsets[0]} : offsets[diagonals - 1];
    return first + count <= product.y.rows && first + lowest >= 0 &&
           first + count + highest <= product.x.rows;
  }

 private:
  /// Diagonals [d, d + Batch) before `end`. Values and x are asked for together, and what lies
  /// beyond the ends of either is not touched.
  template <int Spacing, bool Masked, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t first, int d, int end, const O* offsets,
                                       Pack (&sum)[Packs][Vectors]) const {
    using Mask = typename Pack::Mask;
    backends::PackEntries<Pack, S> entries[Batch][Packs];
    Mask inside[Batch][Packs];
    std::int64_t row_of_x[Batch];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = !Masked || d + i < end;
      const std::int64_t offset = exists ? offsets[i] : 0;
      row_of_x[i] = first + (transposed ? -offset : offset);
      const S* values = A.values + (d + i) * A.stride + (transposed ? row_of_x[i] : first);
      for (int p = 0; p < Packs; ++p) {
        // Rows are padded to whole packs, not to whole teams.
        const bool has_row = Spacing <= Pack::width || first + p * Spacing < product.y.rows;
        const std::int64_t rows_of_x = exists && has_row ? product.x.rows : 0;
        inside[i][p] =
            Masked ? Mask::within(row_of_x[i] + p * Spacing, rows_of_x) : Mask::first(Pack::width);
        entries[i][p].load_once(values + p * Spacing, inside[i][p]);
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
        const auto* const first_of_x = x + row_of_x[i] * stride;
        for (int p = 0; p < Packs; ++p) {
          const auto* from = first_of_x + p * Spacing * stride;
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
