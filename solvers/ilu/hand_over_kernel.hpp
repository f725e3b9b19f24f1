// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"

namespace heddle::detail::ilu {

/// A row by a whole warp, level by level, by ticket: in the order of rows the warps that run are
/// few rows of a grid, and each waits for the one before. The values of a row are plain data behind
/// a word that is published when they stand.
///
/// Why it ends: teams take places in the order in which they begin, and a row waits for rows of
/// lower levels, so the lowest place that is not done belongs to a warp that runs, and waits for
/// nobody. A warp has one row, so no lane waits for a lane of its own warp.
template <class Row, int WarpWidth>
struct EliminateKernel {
  using Scratch = backends::NoScratch;
  using O = typename Row::O;
  using Shape = backends::Shape<WarpWidth, 256>;

  Row row;
  const O* by_level;  ///< the row at each place
  std::int64_t rows;
  std::uint32_t* done;  ///< of each row; zero before the launch

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = team.index() * Team::subwarps + team.subwarp_index();
    if (place >= rows) return;
    const auto warp = team.subwarp();
    const O i = by_level[place];
    row(warp, i,
        [&](O t) { backends::await(done + t, [](std::uint32_t seen) { return seen != 0; }); });
    warp.sync();
    if (warp.lane() == 0) backends::publish(done + i, std::uint32_t{1});
  }
};

/// Rows that wait for nobody, since they read what the sweep before left.
template <class Row, int Width>
struct SweepKernel {
  using Scratch = backends::NoScratch;
  using O = typename Row::O;
  using Off = typename Row::Off;
  using S = typename Row::S;
  using Shape = backends::Shape<Width, 256>;

  Row row;
  const S* loaded;  ///< the values of A
  std::int64_t rows;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= rows) return;
    const auto subwarp = team.subwarp();
    const auto& factors = row.factors;
    for (Off k = factors.row_ptr[i] + static_cast<Off>(subwarp.lane()); k < factors.row_ptr[i + 1];
         k += static_cast<Off>(Team::subwarp_width)) {
      factors.values[k] = loaded[k];
    }
    subwarp.sync();
    row(subwarp, static_cast<O>(i), [](O) {});
  }
};

}  // namespace heddle::detail::ilu
