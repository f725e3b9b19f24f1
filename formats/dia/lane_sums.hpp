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

  const View& A;
  const Product& product;
  bool transposed;

  KOKKOS_FORCEINLINE_FUNCTION void add_up(O row, Acc (&sum)[Vectors]) const {
    // A branch of the whole launch, which spares a multiplication for each entry.
    if (product.x.row_stride == 1) {
      for (int d = 0; d < A.diagonals; d += Batch) add<true>(row, d, sum);
    } else {
      for (int d = 0; d < A.diagonals; d += Batch) add<false>(row, d, sum);
    }
  }

 private:
  /// Beyond either end, unsigned, is beyond the last row.
  using Row = std::make_unsigned_t<O>;

  /// The row of x at which `row` meets a diagonal.
  KOKKOS_FORCEINLINE_FUNCTION Row row_of_x(O row, O offset) const {
    return transposed ? static_cast<Row>(row) - static_cast<Row>(offset)
                      : static_cast<Row>(row) + static_cast<Row>(offset);
  }

  template <bool UnitStride>
  KOKKOS_FORCEINLINE_FUNCTION Acc x(Row row, int vector, bool inside) const {
    const auto* const first =
        product.x.data + (vector < product.x.count ? vector : 0) * product.x.vector_stride;
    return Acc(
        backends::load(UnitStride ? first + row : first + row * product.x.row_stride, inside));
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
      factor[i] = x<UnitStride>(at[i], 0, inside);
      diagonal += A.stride;
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool present = !backends::is_hole(value[i]);
      const Acc entry(product.entry(value[i]));
      if (present) sum[0] += entry * factor[i];
      for (int v = 1; v < Vectors; ++v) {
        const bool inside = first + i < A.diagonals && at[i] < rows_of_x;
        if (present) sum[v] += entry * x<UnitStride>(at[i], v, inside);
      }
    }
  }
};

/// y = alpha * op(A) * x + beta * y for A in DIA on a GPU: a lane a row, so that neighbours read
/// neighbouring values and entries of x.
///
/// Deterministic: a row is added up in the order of its diagonals. Holes do not touch the sum.
template <class View, class Product, int Batch, int Vectors>
struct LaneKernel {
  using Scratch = backends::NoScratch;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  View A;
  Product product;
  bool transposed;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t row = team.index() * Team::threads + team.thread();
    if (row >= product.y.rows) return;
    Acc sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = Acc(0);
    LaneSums<View, Product, Batch, Vectors>{A, product, transposed}.add_up(static_cast<O>(row),
                                                                           sum);
    for (int v = 0; v < Vectors; ++v) {
      if (v < product.x.count) product.store(row, v, sum[v]);
    }
  }
};

}  // namespace heddle::detail::dia
