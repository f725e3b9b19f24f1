// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/pack.hpp"
#include "../../../backends/unrolled.hpp"
#include "../product.hpp"

namespace heddle::detail::slots {

/// Of a format that keeps all of a row together.
struct NoRest {
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack add_to(const Pack& sum, std::int64_t, int) const {
    return sum;
  }
};

/// y of packs of consecutive rows, a lane each, so that neighbours read neighbouring values: ELL,
/// the main part of HYB, and DIA. Rows adds them up: rows.add_up(team, first, sum). Deterministic
/// where that is.
template <class Rows, class Rest = NoRest>
struct RowKernel {
  using Scratch = backends::NoScratch;
  using Acc = typename Rows::Acc;

  Rows rows;
  Rest rest = {};

  /// Of the rows that a team stores.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return team * (std::int64_t{Team::threads} * Rows::rows_per_lane);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    run(team, team.index(), scratch);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index, Scratch&) const {
    using Pack = backends::Pack<Team, Acc>;
    const std::int64_t first = (index * Team::threads + team.thread()) * Rows::rows_per_lane;
    const std::int64_t last = rows.product.y.rows;
    if (first >= last) return;
    Pack sum[Rows::packs][Rows::vectors];
    rows.add_up(team, first, sum);
    if constexpr (Rows::rows_per_lane > 1) {  // on a CPU, where a mask takes longer than the store
      if (first + Rows::rows_per_lane <= last) {
        return store(first, sum, [](std::int64_t) __attribute__((always_inline)) {
          return Pack::Mask::first(Pack::width);
        });
      }
    }
    store(first, sum, [&](std::int64_t row) __attribute__((always_inline)) {
      return Pack::Mask::first(last - row);
    });
  }

 private:
  template <class Pack, class Inside>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t first,
                                         const Pack (&sum)[Rows::packs][Rows::vectors],
                                         const Inside& inside) const {
    backends::unrolled<Rows::packs>([&](int p) __attribute__((always_inline)) {
      const std::int64_t row = first + p * Pack::width;
      for (int v = 0; v < Rows::vectors; ++v) {
        if (v < rows.product.x.count) {
          store_pack(rows.product, row, v, rest.add_to(sum[p][v], row, v), inside(row));
        }
      }
    });
  }
};

}  // namespace heddle::detail::slots
