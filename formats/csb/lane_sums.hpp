// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "walk.hpp"

namespace heddle::detail::csb {

/// Adds up a piece on a GPU, without atomic additions: no two subwarps add to one place. Where the
/// keys of a block ascend each subwarp takes a share of its entries that begins and ends with a
/// key; where they do not each reads all of them and takes those of its range of keys. Within a
/// subwarp, what lanes have for one place is added up first, in the order of lanes.
/// Positions have 64 bits, since a batch may end beyond the last entry.
template <class Walk>
struct LaneSums {
  using Acc = typename Walk::Acc;
  using S = typename Walk::S;
  static constexpr int vectors = Walk::vectors;

  const Walk& walk;

  /// Adds up mirror images too, of parts in `mirrored` if there is such scratch.
  template <class Team, class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, const Piece& piece,
                                              std::int64_t index, Acc* sums, Acc* mirrored) const {
    const auto subwarp = team.subwarp();
    const int mine = team.subwarp_index();
    const int range = walk.A.beta / Team::subwarps;
    const Keys own{range * mine, range * (mine + 1), 0, false};
    const std::int64_t panel_first = static_cast<std::int64_t>(piece.panel) * walk.A.beta;
    walk.each_block(piece, [&](const Run& run) {
      const bool cuts = walk.ascending;
      const std::int64_t from =
          cuts ? cut(subwarp, run.first, run.last, mine, Team::subwarps) : run.first;
      const std::int64_t to =
          cuts ? cut(subwarp, run.first, run.last, mine + 1, Team::subwarps) : run.last;
      add_entries<false>(subwarp, from, to, cuts ? Keys{0, walk.A.beta, 0, false} : own,
                         run.x_first, sums);
      if (cuts) team.barrier();  // what comes next is shared out in another way
      if constexpr (Walk::mirrors) {
        if (run.on_diagonal) {
          add_mirrored(team, run, Span{0, walk.A.beta}, panel_first, sums, nullptr);
        } else if (walk.mirror.atomically) {
          add_to_y(team, run, panel_first);
        } else if (walk.mirror.is_part(run.block)) {
          const Part& part = walk.mirror.parts.part[walk.mirror.parts.part_of[run.block]];
          Acc* const partial = walk.sums_of(part, index);
          add_mirrored(team, run, part.span, panel_first, mirrored ? mirrored : partial, partial);
        }
      }
    });
  }

 private:
  /// The places from `low` and before `high`; sums begin with that of `first`.
  struct Keys {
    int low;
    int high;
    int first;
    bool beside_diagonal;  ///< whether entries on the diagonal of their block are left out
  };

  /// The mirror image of a block, of which each subwarp takes the entries of its range of columns:
  /// added to sums of the panel, or to cleared ones that are then left as `partial`.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_mirrored(const Team& team, const Run& run, const Span& span,
                                                std::int64_t panel_first, Acc* to,
                                                Acc* partial) const {
    const int places = span.width * vectors;
    if (partial) {
      for (int i = team.thread(); i < places; i += Team::threads) to[i] = Acc(0);
      team.barrier();
    }
    const int range = ceil_div(span.width, Team::subwarps);
    const int low = span.first + range * team.subwarp_index();
    add_entries<true>(team.subwarp(), run.first, run.last,
                      Keys{low, low + range, span.first, partial == nullptr}, panel_first, to);
    team.barrier();
    if (!partial || partial == to) return;
    for (int i = team.thread(); i < places; i += Team::threads) partial[i] = to[i];
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

  /// Adds the entries [first, last) of these keys, or their mirror images.
  template <bool Mirrored, class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(const Subwarp& subwarp, std::int64_t first,
                                               std::int64_t last, const Keys& keys,
                                               std::int64_t x_first, Acc* sums) const {
    for (std::int64_t batch = first; batch < last; batch += Subwarp::width) {
      const std::int64_t k = batch + subwarp.lane();
      bool wanted = k < last;
      int key = wanted ? walk.template key<Mirrored>(k) : -1;
      const int source = wanted ? walk.template source<Mirrored>(k) : 0;
      wanted =
          wanted && key >= keys.low && key < keys.high && !(keys.beside_diagonal && key == source);
      key = wanted ? key - keys.first : -1;
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
