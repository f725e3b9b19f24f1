// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "../common/store_pack.hpp"
#include "tuning.hpp"

namespace heddle::detail::ell {

/// y = alpha * A * x + beta * y for A in ELL, on every backend: a lane takes packs of consecutive
/// rows.
///
/// Deterministic: a row is added up in the order of its slots. A slot without an entry (column -1,
/// value 0) does not touch x, so what is infinite there does not get in. Source: N. Bell and M.
/// Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors",
/// SC 2009.
template <class RowSums>
struct Kernel {
  using Scratch = backends::NoScratch;
  using Acc = typename RowSums::Acc;

  RowSums rows;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr int rows_per_lane = RowSums::rows_per_lane;
    const std::int64_t first = (team.index() * Team::threads + team.thread()) * rows_per_lane;
    if (first >= rows.A.rows) return;
    Pack sum[RowSums::packs][RowSums::vectors];
    rows.add_up(first, 0, RowSums::batch, sum);
    for (int p = 0; p < RowSums::packs; ++p) {
      const std::int64_t row = first + p * Pack::width;
      const auto inside = Pack::Mask::first(rows.A.rows - row);
      for (int v = 0; v < RowSums::vectors; ++v) {
        if (v < rows.product.x.count) store_pack(rows.product, row, v, sum[p][v], inside);
      }
    }
  }
};

/// The same on a GPU with 2^lane_bits lanes for each row, which take its batches of slots in turn:
/// for matrices of fewer rows than the device has room for threads. The lanes of a row are threads
/// of different warps, so that a warp reads consecutive rows, and the first adds up their sums in
/// order.
template <class RowSums>
struct SplitKernel {
  using Acc = typename RowSums::Acc;
  static_assert(RowSums::rows_per_lane == 1);

  struct Scratch {
    // Raw bytes, since complex types have constructors that scratch must not run.
    alignas(16) unsigned char bytes[sizeof(Acc) * tuning.team_threads];
    KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int thread) {
      return reinterpret_cast<Acc*>(bytes)[thread];
    }
  };

  RowSums rows;
  int lane_bits;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    using Pack = backends::Pack<Team, Acc>;
    const int rows_per_team = Team::threads >> lane_bits;
    const int row_in_team = team.thread() & (rows_per_team - 1);
    const int lane = team.thread() / rows_per_team;
    const std::int64_t row = team.index() * rows_per_team + row_in_team;
    const bool exists = row < rows.A.rows;
    Pack sum[1][RowSums::vectors];
    const int step = RowSums::batch << lane_bits;
    rows.add_up(exists ? row : 0, exists ? lane * RowSums::batch : rows.A.width, step, sum);
    for (int v = 0; v < RowSums::vectors; ++v) {
      if (v >= rows.product.x.count) break;
      if (v > 0) team.barrier();  // the sums of the vector before have been read
      scratch.sum(team.thread()) = sum[0][v].lane(0);
      team.barrier();
      if (lane > 0 || !exists) continue;
      Acc total = sum[0][v].lane(0);
      for (int thread = team.thread() + rows_per_team; thread < Team::threads;
           thread += rows_per_team) {
        total += scratch.sum(thread);
      }
      store_pack(rows.product, row, v, Pack::all(total), Pack::Mask::first(1));
    }
  }
};

}  // namespace heddle::detail::ell
