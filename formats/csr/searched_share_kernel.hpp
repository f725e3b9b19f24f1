// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/share.hpp"
#include "share_search.hpp"

namespace heddle::detail::csr {

/// In place of a table, for the kernels of shares, where no share cuts a row.
template <Scalar Acc>
struct WholeRows {
  static constexpr bool waits = false;

  struct NoCarries {
    KOKKOS_FORCEINLINE_FUNCTION void post(std::int64_t, int, const Acc&) const {}
    KOKKOS_FORCEINLINE_FUNCTION Acc collect_all(int, int, int, int) const { return Acc(0); }
  };
  static constexpr std::int64_t shares = 0;
  NoCarries carries;
};

/// csr/merge,search=apply on a GPU: a team a share, whose rows two of its subwarps search for. The
/// team adds up its rows as those of any share; if the last one reaches beyond what a team stages,
/// that row comes after the others, by the whole team, however long it is.
///
/// Deterministic; nothing is kept, and nobody waits. Shares is ShareKernel or
/// ShareMultivectorKernel. Source: as ShareKernel; cuts are searched for inside of the kernel as by
/// D. Merrill and M. Garland (SC 2016), who cut rows too.
template <class Shares>
struct SearchedShareKernel {
  using O = typename Shares::O;
  using Off = typename Shares::Off;

  struct Scratch {
    typename Shares::Scratch share;
    O edge[2];
  };

  Shares shares;
  ShareSearch search;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    static_assert(Team::subwarps >= 2);
    const Off* const row_ptr = shares.operands.row_ptr;
    if (team.subwarp_index() < 2) {
      const auto subwarp = team.subwarp();
      const O row = search.first_row(subwarp, row_ptr, shares.operands.rows,
                                     team.index() + team.subwarp_index());
      if (subwarp.lane() == 0) scratch.edge[team.subwarp_index()] = row;
    }
    team.barrier();
    const O first = scratch.edge[0], stop = scratch.edge[1];
    if (first == stop) return;
    const Off begin = row_ptr[first];
    const Off origin = begin - begin % static_cast<Off>(share_alignment);
    const bool fits = row_ptr[stop] - origin <= static_cast<Off>(Shares::capacity);
    const O staged = fits ? stop : stop - 1;
    if (first < staged) {
      shares.add_up(team, scratch.share, Share<O, Off>::of_rows(row_ptr, first, staged));
      if (!fits) team.barrier();
    }
    if (!fits) shares.add_up_long_row(team, scratch.share, staged);
  }
};

}  // namespace heddle::detail::csr
