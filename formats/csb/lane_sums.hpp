// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "walk.hpp"

namespace heddle::detail::csb {

/// Adds up a piece on a GPU, without atomic additions: no two subwarps add to one place. Where the
/// keys of a block ascend each subwarp takes a share of its entries that begins and ends with a
/// key; where they do not each reads all of them and takes those of its range of keys. Within a
/// subwarp, what lanes have for one place is added up first, in the order of lanes.
template <class Walk>
struct LaneSums {
  using Off = typename Walk::Off;
  using Acc = typename Walk::Acc;
  using S = typename Walk::S;
  static constexpr int vectors = Walk::vectors;

  const Walk& walk;

  template <class Team, class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, const Piece& piece,
                                              Acc* sums) const {
    const auto subwarp = team.subwarp();
    const int mine = team.subwarp_index();
    const int range = walk.A.beta / Team::subwarps;
    walk.each_block(piece, [&](Off first, Off last, std::int64_t x_first, bool mirrors) {
      if (walk.ascending) {
        const Off from = cut(subwarp, first, last, mine, Team::subwarps);
        const Off to = cut(subwarp, first, last, mine + 1, Team::subwarps);
        add_entries<false>(subwarp, from, to, 0, walk.A.beta, x_first, sums);
        team.barrier();  // what comes next is shared out in another way
      } else {
        add_entries<false>(subwarp, first, last, range * mine, range * (mine + 1), x_first, sums);
      }
      if (mirrors) {
        add_entries<true>(subwarp, first, last, range * mine, range * (mine + 1), x_first, sums);
        team.barrier();
      }
    });
  }

 private:
  /// Adds the entries [first, last) whose keys are in [low, high); of mirror images those beside
  /// the diagonal.
  template <bool Mirrored, class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(const Subwarp& subwarp, Off first, Off last, int low,
                                               int high, std::int64_t x_first, Acc* sums) const {
    for (Off batch = first; batch < last; batch += static_cast<Off>(Subwarp::width)) {
      const Off k = batch + static_cast<Off>(subwarp.lane());
      bool wanted = k < last;
      int key = wanted ? walk.template key<Mirrored>(k) : -1;
      const int source = wanted ? walk.template source<Mirrored>(k) : 0;
      wanted = wanted && key >= low && key < high && !(Mirrored && key == source);
      if (!wanted) key = -1;
      if (!subwarp.any(wanted)) continue;
      const S value = walk.template entry<Mirrored>(backends::load_once(walk.A.values + k, wanted));
      Acc product[vectors];
      for (int v = 0; v < vectors; ++v) {
        product[v] =
            walk.product.product(value, x_first + source, v, wanted && v < walk.product.x.count);
      }
      add(subwarp, key, product, sums);
      subwarp.sync();
    }
  }

  /// Where share i of the entries [first, last) begins: at the first of a key.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION Off cut(const Subwarp& subwarp, Off first, Off last, int i,
                                      int shares) const {
    if (i == shares) return last;
    const auto entries = static_cast<std::int64_t>(last - first);
    Off at = first + static_cast<Off>(entries * i / shares);
    if (at == first) return first;
    for (; at < last; at += static_cast<Off>(Subwarp::width)) {
      const Off k = at + static_cast<Off>(subwarp.lane());
      const bool begins =
          k < last && walk.template key<false>(k) != walk.template key<false>(k - 1);
      const std::uint64_t votes = subwarp.ballot(begins);
      if (votes != 0) return at + static_cast<Off>(Kokkos::countr_zero(votes));
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
    for (int distance = 1; distance < width; distance *= 2) {
      const int below = subwarp.shuffle_up(highest, distance);
      if (lane >= distance && below > highest) highest = below;
    }
    if (subwarp.all(key < 0 || key == highest)) {
      const int before = subwarp.shuffle_up(highest, 1), after = subwarp.shuffle_down(highest, 1);
      const bool head = lane == 0 || before != highest;
      const bool tail = highest >= 0 && (lane == width - 1 || after != highest);
      for (int v = 0; v < vectors; ++v) {
        const Acc sum = subwarp.segmented_sum(product[v], head);
        if (tail) sums[highest * vectors + v] += sum;
      }
      return;
    }
    bool lowest = key >= 0;
    Acc sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = Acc(0);
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
