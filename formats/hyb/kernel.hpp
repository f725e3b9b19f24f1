// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../common/slots/row_sums.hpp"
#include "../common/store_pack.hpp"

namespace heddle::detail::hyb {

/// y of packs of consecutive rows, a lane each: their slots, as in ELL, and of a long row the sum
/// of the rest.
template <class RowSums, class Rest>
struct SlotsKernel {
  using Scratch = backends::NoScratch;
  using Acc = typename RowSums::Acc;

  RowSums rows;
  Rest rest;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    run(team, team.index(), scratch);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index, Scratch&) const {
    using Pack = backends::Pack<Team, Acc>;
    const std::int64_t first = (index * Team::threads + team.thread()) * RowSums::rows_per_lane;
    if (first >= rows.A.rows) return;
    Pack sum[RowSums::packs][RowSums::vectors];
    rows.add_up(first, 0, RowSums::batch, sum);
    for (int p = 0; p < RowSums::packs; ++p) {
      const std::int64_t row = first + p * Pack::width;
      const auto inside = Pack::Mask::first(rows.A.rows - row);
      for (int v = 0; v < RowSums::vectors; ++v) {
        if (v < rows.product.x.count) {
          store_pack(rows.product, row, v, rest.add_to(sum[p][v], row, v), inside);
        }
      }
    }
  }
};

}  // namespace heddle::detail::hyb
