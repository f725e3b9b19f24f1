// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "../common/store_pack.hpp"
#include "row_sums.hpp"
#include "tuning.hpp"

namespace heddle::detail::dia {

/// y = alpha * op(A) * x + beta * y for A in DIA, on every backend: a lane takes packs of
/// consecutive rows of y, so that neighbours read neighbouring values and entries of x. Sums is
/// LaneSums on a GPU, and RowSums on a CPU.
///
/// Deterministic: a row is added up in the order of its diagonals. Holes do not touch the sum.
/// Source: Y. Saad, "Krylov subspace methods on supercomputers", SIAM J. Sci. Stat. Comput. 10,
/// 1989.
template <class Sums>
struct Kernel {
  using Scratch = backends::NoScratch;
  using Acc = typename Sums::Acc;

  Sums rows;

  /// Of the rows that a team stores.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return team * (std::int64_t{Team::threads} * Sums::rows_per_lane);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Pack = backends::Pack<Team, Acc>;
    const std::int64_t first = (team.index() * Team::threads + team.thread()) * Sums::rows_per_lane;
    const std::int64_t last = rows.product.y.rows;
    if (first >= last) return;
    Pack sum[Sums::packs][Sums::vectors];
    for (int p = 0; p < Sums::packs; ++p) {
      for (int v = 0; v < Sums::vectors; ++v) sum[p][v] = Pack::zero();
    }
    rows.add_up(first, sum);
    for (int p = 0; p < Sums::packs; ++p) {
      const std::int64_t row = first + p * Pack::width;
      const auto inside = Pack::Mask::first(last - row);
      for (int v = 0; v < Sums::vectors; ++v) {
        if (v < rows.product.x.count) store_pack(rows.product, row, v, sum[p][v], inside);
      }
    }
  }
};

}  // namespace heddle::detail::dia
