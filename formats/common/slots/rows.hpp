// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "add_up.hpp"
#include "row_kernel.hpp"

namespace heddle::detail::slots {

/// What RowKernel adds up of A, a view of a matrix in ELL, alone or as the main part of HYB: a lane
/// takes packs of consecutive rows.
///
/// Deterministic: a row is added up in the order of its slots. A slot without an entry (column -1,
/// value 0) does not touch x, so what is infinite there does not get in. Source: N. Bell and M.
/// Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors",
/// SC 2009.
template <class View, class Product, ExecutionSpace Exec, int Packs, int Batch, int Vectors>
struct Rows {
  using Acc = typename Product::accumulator_type;
  static constexpr int packs = Packs;
  static constexpr int batch = Batch;
  static constexpr int vectors = Vectors;
  static constexpr int rows_per_lane = Packs * backends::Pack<Exec, Acc>::width;

  View A;
  Product product;

  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, std::int64_t first,
                                          Pack (&sum)[Packs][Vectors]) const {
    slots::add_up<Batch>(team, A.strip().from(first), product, 0, Batch, A.width, sum);
  }
};

}  // namespace heddle::detail::slots
