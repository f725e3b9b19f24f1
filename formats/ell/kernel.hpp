// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "../common/slots/rows.hpp"

namespace heddle::detail::ell {

/// RowKernel of slots::Rows, on a GPU with 2^lane_bits lanes for each row, which take its batches
/// of slots in turn: for matrices of fewer rows than the device has room for threads.
template <class Rows>
struct SplitKernel {
  using Acc = typename Rows::Acc;
  using Scratch = slots::LaneScratch<Acc, slots::tuning.team_threads>;
  static_assert(Rows::rows_per_lane == 1);

  Rows rows;
  int lane_bits;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    using Pack = backends::Pack<Team, Acc>;
    const int rows_per_team = Team::threads >> lane_bits;
    const int lane = team.thread() / rows_per_team;
    const std::int64_t row = team.index() * rows_per_team + (team.thread() & (rows_per_team - 1));
    const bool exists = row < rows.A.rows;
    Pack sum[1][Rows::vectors];
    slots::add_up<Rows::batch>(team, rows.A.strip().from(exists ? row : 0), rows.product,
                               lane * Rows::batch, Rows::batch << lane_bits,
                               exists ? rows.A.width : 0, sum);
    const auto store = [&](int v, const Pack& total) {
      store_pack(rows.product, row, v, total, Pack::Mask::first(1));
    };
    slots::add_up_lanes(team, scratch, sum, rows.product.x.count, rows_per_team, exists, store);
  }
};

}  // namespace heddle::detail::ell
