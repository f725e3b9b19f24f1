// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "loop.hpp"

namespace heddle::detail::order {

/// A loop whose iteration i reads the items item(k), begin(i) <= k < end(i), of `entries` in all.
/// Those that no earlier iteration writes are passed over: they have been checked.
template <class Loop>
concept ReadsRows = requires(const Loop& loop) {
  loop.reads.item(loop.reads.begin(loop.iterations));
  loop.reads.end(loop.iterations);
  loop.reads.entries;
};

/// Items of an iteration, in the mean, from which all lanes of a warp look at them.
inline constexpr std::int64_t min_items_per_warp = 8;

/// LevelsKernel of a loop that ReadsRows, `Lanes` an iteration: 1, or all of a warp. A lane goes on
/// at the item whose level was missing.
template <class Loop, int Lanes>
struct LevelsOfRowsKernel {
  using Scratch = backends::NoScratch;

  Loop loop;
  int* level;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto warp = team.subwarp();
    const std::int64_t position = (team.index() * Team::threads + team.thread()) / Lanes;
    bool done = position >= static_cast<std::int64_t>(loop.iterations);
    const auto i = loop.iteration(done ? 0 : position);
    auto k = loop.reads.begin(i) + (Lanes > 1 ? warp.lane() : 0);
    const auto end = done ? k : loop.reads.end(i);
    int above = 0;
    if constexpr (Lanes == 1) {
      while (warp.any(!done)) {  // no lane leaves before its warp: LevelsKernel
        if (done || !look(i, k, end, above)) continue;
        backends::post(level + i, above);
        done = true;
      }
    } else {
      while (!warp.all(look(i, k, end, above))) {
      }
      above = warp.max(above);
      if (!done && warp.lane() == 0) backends::post(level + i, above);
    }
  }

 private:
  /// Goes on from k to the first item that has no level yet; whether there is none.
  template <class O, class Off>
  KOKKOS_FORCEINLINE_FUNCTION bool look(O i, Off& k, Off end, int& above) const {
    for (; k < end; k += Lanes) {
      const O j = loop.reads.item(k);
      if (!loop.before(j, i)) continue;
      const int below = backends::look(level + j);
      if (below < 0) return false;
      above = above > below ? above : below + 1;
    }
    return true;
  }
};

/// Looks for levels, by teams that wait for lower ones.
template <int Lanes, ExecutionSpace Exec, class Loop>
void launch_levels_of_rows(const Exec& exec, const Loop& loop, int* level,
                           const backends::Tickets& tickets) {
  constexpr int threads = 256;
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, threads>;
  const auto teams = ceil_div<std::int64_t>(loop.iterations, threads / Lanes);
  backends::launch_by_ticket<Shape>(exec, "heddle::order::levels", teams,
                                    LevelsOfRowsKernel<Loop, Lanes>{loop, level}, tickets);
}

}  // namespace heddle::detail::order
