// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "../common/rest/kernel.hpp"
#include "../common/store_pack.hpp"
#include "row_sums.hpp"
#include "tuning.hpp"

namespace heddle::detail::dia {

/// y = alpha * op(A) * x + beta * y for A in DIA, on every backend: a lane takes packs of
/// consecutive rows of y, so that neighbours read neighbouring values and entries of x. With
/// several packs a lane of a GPU finds each diagonal once for all of them, and a team none of whose
/// rows asks for what lies beyond the ends of x asks no row.
///
/// Deterministic: a row is added up in the order of its diagonals, and then comes what lies on none
/// of them. Holes do not touch the sum.
/// Source: Y. Saad, "Krylov subspace methods on supercomputers", SIAM J. Sci. Stat. Comput. 10,
/// 1989.
template <class RowSums, class Rest = rest::NoRest>
struct Kernel {
  using O = typename RowSums::O;
  using Acc = typename RowSums::Acc;

  /// The offsets of a round of diagonals, which all lanes of a team read.
  struct Scratch {
    O offsets[tuning.offsets_per_round];
  };

  RowSums rows;
  Rest rest = {};

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    run(team, team.index(), scratch);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index,
                                       Scratch& scratch) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr bool lanes = Team::threads > 1;
    constexpr int spacing = lanes ? Team::threads : Pack::width;
    const std::int64_t first_of_team = index * Team::threads * RowSums::rows_per_lane;
    const std::int64_t first = first_of_team + team.thread();
    const std::int64_t last = rows.product.y.rows;
    Pack sum[RowSums::packs][RowSums::vectors];
    for (int p = 0; p < RowSums::packs; ++p) {
      for (int v = 0; v < RowSums::vectors; ++v) sum[p][v] = Pack::zero();
    }
    const int diagonals = rows.A.diagonals;
    if constexpr (!lanes) {
      rows.template add_up<spacing, true>(first, 0, diagonals, rows.A.offsets, sum);
    } else {
      for (int begin = 0; begin < diagonals; begin += tuning.offsets_per_round) {
        const int left = diagonals - begin;
        const int count = left < tuning.offsets_per_round ? left : tuning.offsets_per_round;
        if (begin > 0) team.barrier();  // the round before has been read
        for (int i = team.thread(); i < count; i += Team::threads) {
          scratch.offsets[i] = rows.A.offsets[begin + i];
        }
        team.barrier();
        if constexpr (RowSums::packs > 1) {
          if (rows.inside(first_of_team, Team::threads * RowSums::packs, scratch.offsets, count)) {
            rows.template add_up<spacing, false>(first, begin, begin + count, scratch.offsets, sum);
            continue;
          }
        }
        if (first < last) {
          rows.template add_up<spacing, true>(first, begin, begin + count, scratch.offsets, sum);
        }
      }
    }
    for (int p = 0; p < RowSums::packs; ++p) {
      const std::int64_t row = first + p * spacing;
      const auto inside = Pack::Mask::first(last - row);
      for (int v = 0; v < RowSums::vectors; ++v) {
        if (v < rows.product.x.count) {
          store_pack(rows.product, row, v, rest.add_to(sum[p][v], row, v), inside);
        }
      }
    }
  }
};

}  // namespace heddle::detail::dia
