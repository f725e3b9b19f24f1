// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../common/product.hpp"
#include "host_sums.hpp"
#include "lane_sums.hpp"

namespace heddle::detail::csb {

/// y = alpha * A * x + beta * y by block rows, or for A transposed by block columns: a team a
/// piece. It adds up in scratch, a place for each row of the panel, and at the end stores y, or
/// leaves partial sums for the FinishKernel where the panel has several pieces.
///
/// On a CPU a team is a thread, and takes pieces from the tickets until none is left.
/// Deterministic: pieces are fixed, and who takes one does not matter. Not if mirror images are
/// added to y atomically, as sums then are too.
///
/// Source: A. Buluc, J. Fineman, M. Frigo, J. Gilbert and C. Leiserson, "Parallel sparse
/// matrix-vector and matrix-transpose-vector multiplication using compressed sparse blocks", SPAA
/// 2009.
template <class Walk, bool Deals>
struct Kernel {
  using Scratch = backends::DynamicScratch;
  using Acc = typename Walk::Acc;

  Walk walk;
  /// Where sums go from scratch, and where they are added up if there is no scratch.
  Acc* partials;
  backends::Tickets tickets;
  std::uint32_t tickets_a_launch;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const auto places = static_cast<std::size_t>(walk.A.beta) * Walk::vectors;
    Acc* const own = scratch.bytes() > 0 ? scratch.template take<Acc>(places) : nullptr;
    if constexpr (Deals) {
      for (std::int64_t piece = tickets.take(tickets_a_launch); piece < walk.sweep.piece_count;
           piece = tickets.take(tickets_a_launch)) {
        run(team, piece, own);
      }
    } else {
      run(team, team.index(), own);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index, Acc* own) const {
    const auto& piece = walk.sweep.pieces[index];
    const std::int64_t first_row = static_cast<std::int64_t>(piece.panel) * walk.A.beta;
    const std::int64_t left = walk.product.y.rows - first_row;
    const int rows = static_cast<int>(left < walk.A.beta ? left : walk.A.beta);
    Acc* const partial =
        piece.partial < 0 ? nullptr : partials + piece.partial * walk.A.beta * Walk::vectors;
    Acc* const sums = own ? own : partial;
    for (int i = team.thread(); i < rows * Walk::vectors; i += Team::threads) sums[i] = Acc(0);
    team.barrier();
    if constexpr (Team::threads == 1) {
      HostSums<Walk>{walk}(piece, sums);
    } else {
      LaneSums<Walk>{walk}(team, piece, sums);
    }
    team.barrier();
    if (!partial) {
      for (int i = team.thread(); i < rows; i += Team::threads) {
        for (int v = 0; v < walk.product.x.count; ++v) {
          const Acc& sum = sums[i * Walk::vectors + v];
          if (Walk::mirrors && walk.mirror.atomically) {
            walk.add_to_y(first_row + i, v, sum);
          } else {
            walk.product.store(first_row + i, v, sum);
          }
        }
      }
    } else if (own) {
      for (int i = team.thread(); i < rows * Walk::vectors; i += Team::threads) {
        partial[i] = own[i];
      }
    }
  }
};

}  // namespace heddle::detail::csb
