// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cache_line.hpp"
#include "../../backends/pack_entries.hpp"
#include "../../backends/prefetch.hpp"
#include "../../backends/unrolled.hpp"
#include "../common/product.hpp"
#include "tuning.hpp"
#include "view.hpp"

namespace heddle::detail::dia {

/// The sums of packs of consecutive rows of op(A) times up to Vectors vectors, on a CPU.
///
/// Row i of A has its entry of a diagonal at place i and multiplies row i + offset of x; row j of
/// the transpose has it at place j - offset, and multiplies row j - offset of x.
template <class View, class Product, ExecutionSpace Exec, int Packs, int Vectors>
struct RowSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  static constexpr int packs = Packs;
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
    const auto& x = product.x;
    for (int d = 0; d < A.diagonals; ++d) {
      const std::int64_t row_of_x = first + (transposed ? -A.offsets[d] : A.offsets[d]);
      const S* values = A.values + d * A.stride + (transposed ? row_of_x : first);
      // All but the first and last rows meet all diagonals.
      if (row_of_x < 0 || row_of_x + rows_per_lane > x.rows) {
        add_edge(values, row_of_x, sum);
        continue;
      }
      // Diagonals are more streams than a processor follows by itself.
      for (int i = 0; i < rows_per_lane; i += backends::entries_per_line<S>) {
        backends::prefetch(values + i + tuning.cpu_rows_ahead);
      }
      if (x.row_stride == 1) {
        add<true>(values, x.data + row_of_x, 1, x.vector_stride, x.count, sum);
      } else {
        add<false>(values, x.data + row_of_x * x.row_stride, x.row_stride, x.vector_stride, x.count,
                   sum);
      }
    }
  }

 private:
  using V = std::remove_const_t<typename Product::vector_type>;

  /// Adds a diagonal that all rows meet, with `count` vectors of x.
  template <bool UnitStride, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(const S* values, const V* x, std::int64_t row_stride,
                                       std::int64_t vector_stride, int count,
                                       Pack (&sum)[Packs][Vectors]) const {
    const auto all = Pack::Mask::first(Pack::width);
    backends::unrolled<Packs>([&](int p) __attribute__((always_inline)) {
      backends::PackEntries<Pack, S> entries;
      entries.load_once(values + p * Pack::width, all);
      if constexpr (is_complex<S>) {
        if (product.conjugate) entries.value = Pack::conjugate(entries.value);
      }
      backends::unrolled<Vectors>([&](int v) __attribute__((always_inline)) {
        const V* of_vector = x + (v < count ? v : 0) * vector_stride;
        const Pack factor =
            UnitStride ? Pack::load(of_vector + p * Pack::width)
                       : Pack::strided(of_vector + p * Pack::width * row_stride, row_stride, all);
        sum[p][v] = entries.multiply_add(factor, sum[p][v]);
      });
    });
  }
  /// The same of one that some rows do not meet: of those neither values nor x exist, and holes
  /// stand for them.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_edge(const S* values, std::int64_t row_of_x,
                                            Pack (&sum)[Packs][Vectors]) const {
    const auto& x = product.x;
    S value[rows_per_lane];
    V factor[Vectors * rows_per_lane];
    for (int i = 0; i < rows_per_lane; ++i) {
      const std::int64_t row = row_of_x + i;
      const bool meets = row >= 0 && row < x.rows;
      if (meets) {
        value[i] = values[i];
      } else {
        backends::put_hole(value + i);
      }
      for (int v = 0; v < Vectors; ++v) {
        factor[v * rows_per_lane + i] =
            meets && v < x.count ? x.data[row * x.row_stride + v * x.vector_stride] : V(0);
      }
    }
    add<true>(value, factor, 1, rows_per_lane, Vectors, sum);
  }
};

}  // namespace heddle::detail::dia
