// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/memory.hpp"
#include "../../backends/pack_entries.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::dia {

/// The sums of one row of op(A) times up to Vectors vectors, on a lane of a GPU: Batch diagonals at
/// a time, so that their loads are in flight together. As RowSums, but written for few
/// instructions, which is what a GPU waits for here: places are counted in ordinals, and of a
/// diagonal that the row does not meet, value and x are zero, so that nothing need be remembered
/// of it.
template <class View, class Product, int Batch, int Vectors>
struct LaneSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  static constexpr int packs = 1;
  static constexpr int vectors = Vectors;
  static constexpr int rows_per_lane = 1;

  View A;
  Product product;
  bool transposed;

  /// Sets `sum` to all diagonals.
  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team&, std::int64_t row,
                                          Pack (&sum)[1][Vectors]) const {
    Acc of_row[Vectors];
    for (int v = 0; v < Vectors; ++v) of_row[v] = Acc(0);
    add_up(static_cast<O>(row), of_row);
    for (int v = 0; v < Vectors; ++v) sum[0][v] = Pack::all(of_row[v]);
  }

 private:
  /// Beyond either end, unsigned, is beyond the last row.
  using Row = std::make_unsigned_t<O>;

  KOKKOS_FORCEINLINE_FUNCTION void add_up(O row, Acc (&sum)[Vectors]) const {
    // A branch of the whole launch, which spares a multiplication for each entry.
    if (product.x.row_stride == 1) {
      for (int d = 0; d < A.diagonals; d += Batch) add<true>(row, d, sum);
    } else {
      for (int d = 0; d < A.diagonals; d += Batch) add<false>(row, d, sum);
    }
  }

  /// The row of x at which `row` meets a diagonal.
  KOKKOS_FORCEINLINE_FUNCTION Row row_of_x(O row, O offset) const {
    return transposed ? static_cast<Row>(row) - static_cast<Row>(offset)
                      : static_cast<Row>(row) + static_cast<Row>(offset);
  }

  template <bool UnitStride>
  KOKKOS_FORCEINLINE_FUNCTION void add(O row, int first, Acc (&sum)[Vectors]) const {
    S value[Batch];
    Row at[Batch];
    Acc factor[Batch];
    const auto rows_of_x = static_cast<Row>(product.x.rows);
    const S* diagonal = A.values + first * A.stride;
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = first + i < A.diagonals;
      at[i] = row_of_x(row, backends::load(A.offsets + first + i, exists));
      const bool inside = exists && at[i] < rows_of_x;
      value[i] =
          backends::load_once(diagonal + (transposed ? at[i] : static_cast<Row>(row)), inside);
      factor[i] = product.template gather<UnitStride>(at[i], 0, inside);
      diagonal += A.stride;
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool present = !backends::is_hole(value[i]);
      const Acc entry(product.entry(value[i]));
      if (present) sum[0] += entry * factor[i];
      for (int v = 1; v < Vectors; ++v) {
        const bool inside = first + i < A.diagonals && at[i] < rows_of_x;
        if (present) sum[v] += entry * product.template gather<UnitStride>(at[i], v, inside);
      }
    }
  }
};

}  // namespace heddle::detail::dia
