// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "../../backends/unroll.hpp"
#include "walk.hpp"

namespace heddle::detail::csb {

/// a * b, rounded alike wherever it stands: compilers contract the products of complex numbers in
/// one way or another, and kernels for one vector and for several are to give the same bits.
template <Scalar Acc>
KOKKOS_FORCEINLINE_FUNCTION Acc rounded_product(const Acc& a, const Acc& b) {
  if constexpr (is_complex<Acc>) {
    return {Kokkos::fma(a.real(), b.real(), -(a.imag() * b.imag())),
            Kokkos::fma(a.real(), b.imag(), a.imag() * b.real())};
  } else {
    return a * b;
  }
}

/// Adds up a piece on a GPU, without atomic additions: no two subwarps add to one place. Where the
/// keys of a block ascend (by block rows) each subwarp takes a share of its entries that begins and
/// ends with a key; where they do not each reads all of them and takes those of its range of keys.
/// Within a subwarp, what lanes have for one place is added up first, in the order of lanes.
/// Positions have 64 bits, since a batch may end beyond the last entry.
template <class Walk>
struct LaneSums {
  using Acc = typename Walk::Acc;
  using S = typename Walk::S;
  static constexpr int vectors = Walk::vectors;

  const Walk& walk;

  /// Adds up mirror images too, of a triangle.
  template <class Team, class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, const Piece& piece,
                                              Acc* sums) const {
    const std::int64_t panel_first = static_cast<std::int64_t>(piece.panel) * walk.A.beta;
    walk.each_block(piece, [&](const Run& run) {
      add_entries<false>(team.subwarp(), of_stored(team, run, sums));
      if constexpr (Walk::ascending) team.barrier();  // shared out in another way from here on
      if constexpr (Walk::mirrors) {
        if (run.on_diagonal) {
          add_entries<true>(team.subwarp(),
                            of_all(run, team.subwarp_index(), Team::subwarps, panel_first, sums));
          team.barrier();
        } else if (walk.mirror.atomically) {
          add_to_y(team, run, panel_first);
        }
      }
    });
  }

 private:
  /// What of a block a subwarp takes: of the entries [from, to), or their mirror images, those with
  /// a key from `low` and before `high`.
  struct Share {
    std::int64_t from;
    std::int64_t to;
    std::int64_t x_first;
    Acc* sums;
    int low;
    int high;
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Share of_stored(const Team& team, const Run& run, Acc* sums) const {
    const int mine = team.subwarp_index();
    if constexpr (Walk::ascending) {
      Share share{run.first, run.last, run.x_first, sums, 0, walk.A.beta};
      HEDDLE_UNROLL(1)
      for (int edge = 0; edge < 2; ++edge) {
        share.from = share.to;
        share.to = cut(team.subwarp(), run.first, run.last, mine + edge, Team::subwarps);
      }
      return share;
    } else {
      return of_all(run, mine, Team::subwarps, run.x_first, sums);
    }
  }
  /// All entries, of which a subwarp takes those of its range of keys.
  KOKKOS_FORCEINLINE_FUNCTION Share of_all(const Run& run, int subwarp, int subwarps,
                                           std::int64_t x_first, Acc* sums) const {
    const int range = ceil_div(walk.A.beta, subwarps);
    return {run.first, run.last, x_first, sums, range * subwarp, range * (subwarp + 1)};
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_y(const Team& team, const Run& run,
                                            std::int64_t panel_first) const {
    for (std::int64_t k = run.first + team.thread(); k < run.last; k += Team::threads) {
      const S value = walk.template entry<true>(walk.A.values[k]);
      const std::int64_t to = run.x_first + walk.template key<true>(k);
      const std::int64_t from = panel_first + walk.template source<true>(k);
      for (int v = 0; v < walk.product.x.count; ++v) {
        walk.add_to_y(to, v, walk.product.product(value, from, v));
      }
    }
  }

  template <bool Mirrored, class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(const Subwarp& subwarp, const Share& share) const {
    for (std::int64_t batch = share.from; batch < share.to; batch += Subwarp::width) {
      const std::int64_t k = batch + subwarp.lane();
      bool wanted = k < share.to;
      int key = wanted ? walk.template key<Mirrored>(k) : -1;
      const int source = wanted ? walk.template source<Mirrored>(k) : 0;
      wanted = wanted && key >= share.low && key < share.high && !(Mirrored && key == source);
      if (!wanted) key = -1;
      if (!subwarp.any(wanted)) continue;
      const S value = walk.template entry<Mirrored>(backends::load_once(walk.A.values + k, wanted));
      Acc product[vectors];
      for (int v = 0; v < vectors; ++v) {
        const int vector = v < walk.product.x.count ? v : 0;  // what is not stored may be any sum
        const Acc x(backends::load(&walk.product.x(share.x_first + source, vector), wanted));
        product[v] = rounded_product(Acc(value), x);
      }
      add(subwarp, key, product, share.sums);
      subwarp.sync();
    }
  }

  /// Where share i of the entries [first, last) begins: at the first of a key.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t cut(const Subwarp& subwarp, std::int64_t first,
                                               std::int64_t last, int i, int shares) const {
    if (i == shares) return last;
    std::int64_t at = first + (last - first) * i / shares;
    if (at == first) return first;
    for (; at < last; at += Subwarp::width) {
      const std::int64_t k = at + subwarp.lane();
      const bool begins =
          k < last && walk.template key<false>(k) != walk.template key<false>(k - 1);
      const std::uint64_t votes = subwarp.ballot(begins);
      if (votes != 0) return at + Kokkos::countr_zero(votes);
    }
    return last;
  }

  /// Adds what each lane has to the place of its key; none where that is -1.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Subwarp& subwarp, int key,
                                       const Acc (&product)[vectors], Acc* sums) const {
    constexpr int width = Subwarp::width;
    const int lane = subwarp.lane();
    int highest = key;  // of this lane and those below
    HEDDLE_UNROLL(1)
    for (int distance = 1; distance < width; distance *= 2) {
      const int below = subwarp.shuffle_up(highest, distance);
      if (lane >= distance && below > highest) highest = below;
    }
    if (subwarp.all(key < 0 || key == highest)) {
      const int before = subwarp.shuffle_up(highest, 1), after = subwarp.shuffle_down(highest, 1);
      const bool head = lane == 0 || before != highest;
      const bool tail = highest >= 0 && (lane == width - 1 || after != highest);
      Acc sum[vectors];
      for (int v = 0; v < vectors; ++v) sum[v] = product[v];
      bool reached = head;
      HEDDLE_UNROLL(1)
      for (int distance = 1; distance < width; distance *= 2) {
        const bool below_reached = subwarp.shuffle_up(static_cast<int>(reached), distance) != 0;
        const bool adds = lane >= distance && !reached;
        for (int v = 0; v < vectors; ++v) {
          const Acc below = subwarp.shuffle_up(sum[v], distance);
          if (adds) sum[v] += below;
        }
        if (adds) reached = below_reached;
      }
      for (int v = 0; tail && v < vectors; ++v) sums[highest * vectors + v] += sum[v];
      return;
    }
    bool lowest = key >= 0;
    Acc sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = Acc(0);
    HEDDLE_UNROLL(1)
    for (int from = 0; from < width; ++from) {
      const bool same = subwarp.shuffle(key, from) == key;
      if (same && from < lane) lowest = false;
      for (int v = 0; v < vectors; ++v) {
        const Acc other = subwarp.shuffle(product[v], from);
        if (same) sum[v] += other;
      }
    }
    if (!lowest) return;
    for (int v = 0; v < vectors; ++v) sums[key * vectors + v] += sum[v];
  }
};

}  // namespace heddle::detail::csb
