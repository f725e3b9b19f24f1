// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "row_kernel.hpp"
#include "strip.hpp"
#include "tuning.hpp"

namespace heddle::detail::slots {

/// A matrix in ELL as kernels see it. Every row has `width` slots, and slot j of row i lies at
/// j * stride + i, so that neighbouring rows lie side by side. A slot without an entry has column
/// -1 and comes behind the row's entries; the rows from `rows` to `stride` have no entries.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  O rows;
  std::int64_t stride;
  int width;
  const O* col_idx;
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION Strip<S, O, O, std::int64_t> strip() const {
    return {values, col_idx, stride};
  }
};

/// What RowKernel adds up of a matrix in ELL, alone or as the main part of HYB: a lane takes packs
/// of consecutive rows. On a CPU the packs take the place of the batch: their loads are in flight
/// together.
///
/// Deterministic: a row is added up in the order of its slots. A slot without an entry (column -1,
/// value 0) adds nothing, whatever x holds. Source: N. Bell and M.
/// Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors",
/// SC 2009.
template <ExecutionSpace Exec, class View, class Product, int Vectors>
struct Rows {
  using Acc = typename Product::accumulator_type;
  static constexpr bool lanes = backends::has_lanes<Exec>;
  static constexpr int packs = lanes || Vectors > 1 ? 1 : tuning.cpu_packs;
  static constexpr int batch = !lanes ? 1 : Vectors == 1 ? tuning.batch : tuning.multivector_batch;
  static constexpr int vectors = Vectors;
  static constexpr int rows_per_lane = packs * backends::Pack<Exec, Acc>::width;
  static_assert(tuning.row_alignment % rows_per_lane == 0,
                "the last packs of rows end in the padding");

  View A;
  Product product;

  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, std::int64_t first,
                                          Pack (&sum)[packs][Vectors]) const {
    slots::add_up<batch>(team, A.strip().from(first), product, 0, batch, A.width, sum);
  }
};

}  // namespace heddle::detail::slots
