// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "../../formats/common/team_sums/last_team.hpp"
#include "inner_products.hpp"
#include "launch.hpp"

namespace heddle::detail::vectors {

/// What follows sums of which nothing else is made.
struct NothingMore {
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team&) const {}
};

/// G = V' W by tiles of TileRows x Columns numbers: a lane adds up the products of its rows in
/// registers, and a CPU takes all tiles of a block of rows before the next block. On a GPU each
/// tile of one vector W has teams of its own, so that all of V is under way at once. The last team
/// calls `finish` when G is there. Where a number of the device, *only_if, is zero, nothing is
/// done.
template <Scalar V, Scalar Acc, bool UnitStride, int Columns, int TileRows, class Finish>
struct InnerProductsKernel {
  static constexpr int tile_rows = TileRows;
  static constexpr int tile = tile_rows * Columns;
  using Scratch = team_sums::Scratch<Acc, tile>;

  Multivector<const V> left, right;
  SmallMatrix<Acc> result;
  team_sums::Partials<Acc> partials;
  int shares;  ///< of the rows
  const int* only_if;
  Finish finish;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (only_if && *only_if == 0) return;
    const int tiles = tiles_apart<Team::threads>(left.count);
    const auto team_index = static_cast<int>(team.index());
    const int share = team_index / tiles;
    const auto [first, stop] = ShareOfRows(left.rows, share, shares);
    Acc* const mine = partials.sums + std::int64_t{share} * partials.values;
    if constexpr (apart<Team::threads>) {
      add_tile(team, scratch, first, stop, team_index % tiles * tile_rows, 0, mine);
    } else {
      add_all_tiles(team, scratch, first, stop, mine);
    }
    if (!team_sums::is_last(team, scratch, partials.through, shares * tiles)) return;
    add_shares(team);
    if constexpr (!std::same_as<Finish, NothingMore>) {
      team.barrier();
      finish(team);
    }
  }

  /// Whether tiles have teams of their own.
  template <int Threads>
  static constexpr bool apart = Threads > 1 && Columns == 1;
  template <int Threads>
  KOKKOS_FORCEINLINE_FUNCTION static int tiles_apart(int vectors) {
    return apart<Threads> ? (vectors + tile_rows - 1) / tile_rows : 1;
  }

 private:
  /// G, by the last team. Several numbers of a share are read at once, since nothing else runs that
  /// could hide how long it takes to read them.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_shares(const Team& team) const {
    constexpr int at_once = 4;
    const auto subwarp = team.subwarp();
    for (int i = team.subwarp_index() * at_once; i < partials.values;
         i += Team::subwarps * at_once) {
      Acc sums[at_once] = {};
      for (int t = subwarp.lane(); t < shares; t += Team::subwarp_width) {
        const Acc* const of_share = partials.sums + std::int64_t{t} * partials.values + i;
        HEDDLE_UNROLL(at_once)
        for (int k = 0; k < at_once; ++k) {
          if (i + k < partials.values) sums[k] += of_share[k];
        }
      }
      HEDDLE_UNROLL(at_once)
      for (int k = 0; k < at_once; ++k) {
        if (i + k >= partials.values) break;  // alike in all lanes
        const Acc sum = subwarp.sum(sums[k]);
        const int place = i + k;
        if (subwarp.lane() == 0) result(place % left.count, place / left.count) = sum;
      }
    }
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_all_tiles(const Team& team, Scratch& scratch,
                                                 std::int64_t first, std::int64_t stop,
                                                 Acc* mine) const {
    if (team.thread() == 0) {
      for (int i = 0; i < partials.values; ++i) mine[i] = Acc(0);
    }
    const std::int64_t block =
        Team::threads > 1 ? stop - first : tuning_of<typename Team::execution_space>.inner_rows;
    for (std::int64_t at = first; at < stop; at += block) {
      const std::int64_t until = at + block < stop ? at + block : stop;
      for (int j = 0; j < right.count; j += Columns) {
        for (int i = 0; i < left.count; i += tile_rows) {
          add_tile(team, scratch, at, until, i, j, mine);
        }
      }
    }
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_tile(const Team& team, Scratch& scratch, std::int64_t at,
                                            std::int64_t until, int i, int j, Acc* mine) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr int width = Pack::width;
    Pack part[tile];
    for (auto& sum : part) sum = Pack::zero();
    // Of a tile that reaches beyond the last vector this one is taken again, for nothing.
    const V* of_left[tile_rows];
    const V* of_right[Columns];
    for (int a = 0; a < tile_rows; ++a) {
      const int v = i + a < left.count ? i + a : left.count - 1;
      of_left[a] = left.data + v * left.vector_stride;
    }
    for (int b = 0; b < Columns; ++b) {
      const int v = j + b < right.count ? j + b : right.count - 1;
      of_right[b] = right.data + v * right.vector_stride;
    }
    if constexpr (width > 1) {
      for (; at + width <= until; at += width) {
        add_rows<Pack, true>(at, width, of_left, of_right, part);
      }
    }
    for (at += team.thread() * width; at < until; at += Team::threads * width) {
      add_rows<Pack, false>(at, until - at, of_left, of_right, part);
    }
    Acc sums[tile];
    for (int s = 0; s < tile; ++s) sums[s] = Pack::sum(part[s]);
    team_sums::add_over_team(team, scratch, sums, tile);
    if (team.thread() > 0) return;
    for (int b = 0; b < Columns; ++b) {
      for (int a = 0; a < tile_rows; ++a) {
        if (i + a < left.count && j + b < right.count) {
          Acc& sum = mine[(j + b) * left.count + i + a];
          sum = (apart<Team::threads> ? Acc(0) : sum) + sums[b * tile_rows + a];
        }
      }
    }
  }

  template <class Pack, bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(std::int64_t at, std::int64_t rows,
                                            const V* const (&of_left)[tile_rows],
                                            const V* const (&of_right)[Columns],
                                            Pack (&part)[tile]) const {
    add_rows(Entries<Pack, UnitStride, Whole>{at, 0, rows}, of_left, of_right, part,
             std::make_integer_sequence<int, tile_rows>(),
             std::make_integer_sequence<int, Columns>(), std::make_integer_sequence<int, tile>());
  }

  /// No loops: compilers keep an array in registers only where every place in it is a constant
  /// early enough.
  template <class Entry, class Pack, int... A, int... B, int... T>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Entry& entries,
                                            const V* const (&of_left)[tile_rows],
                                            const V* const (&of_right)[Columns], Pack (&part)[tile],
                                            std::integer_sequence<int, A...>,
                                            std::integer_sequence<int, B...>,
                                            std::integer_sequence<int, T...>) const {
    const Pack rows_of_left[] = {Pack::conjugate(entries.load(of_left[A], left.row_stride))...};
    const Pack rows_of_right[] = {entries.load(of_right[B], right.row_stride)...};
    ((part[T] =
          Pack::multiply_add(rows_of_left[T % tile_rows], rows_of_right[T / tile_rows], part[T])),
     ...);
  }
};

template <int Columns, int TileRows, ExecutionSpace Exec, Scalar V, Scalar Acc, class Finish>
void launch_tiles(const Exec& exec, const Multivector<const V>& left,
                  const Multivector<const V>& right, const SmallMatrix<Acc>& to,
                  const team_sums::Partials<Acc>& partials, const int* only_if,
                  const Finish& finish) {
  using AnyStride = InnerProductsKernel<V, Acc, false, Columns, TileRows, Finish>;
  constexpr int threads = backends::has_lanes<Exec> ? tuning_of<Exec>.threads : 1;
  constexpr int few = 128;  // teams
  int shares = teams_for(exec, left.rows);
  if constexpr (AnyStride::template apart<threads>) {
    if (shares < few) shares = std::min(few, teams_of_lanes(exec, left.rows));
  }
  shares = std::min(shares, partials.most_teams);
  const bool unit_stride = has_unit_stride(left) && has_unit_stride(right);
  const int tiles = AnyStride::template tiles_apart<threads>(left.count);
  launch_by_stride(exec, "heddle::vectors::inner_products", std::int64_t{shares} * tiles,
                   unit_stride, [&]<bool unit>() {
                     return InnerProductsKernel<V, Acc, unit, Columns, TileRows, Finish>{
                         left, right, to, partials, shares, only_if, finish};
                   });
}

/// V' w of one vector w, and finish(team) behind it by one team; nothing where *only_if is zero.
template <ExecutionSpace Exec, Scalar V, Scalar Acc, class Finish>
void launch_inner_products_with(const Exec& exec, const Multivector<const V>& left,
                                const Multivector<const V>& right, const SmallMatrix<Acc>& to,
                                const team_sums::Partials<Acc>& partials, const int* only_if,
                                const Finish& finish) {
  launch_tiles<1, backends::has_lanes<Exec> ? 8 : 4>(exec, left, right, to, partials, only_if,
                                                     finish);
}

template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_inner_products(const Exec& exec, const Multivector<const V>& left,
                           const Multivector<const V>& right, const SmallMatrix<Acc>& to,
                           const team_sums::Partials<Acc>& partials) {
  if (right.count == 1) {
    return launch_inner_products_with(exec, left, right, to, partials, nullptr, NothingMore());
  }
  // So that sums stay in registers.
  launch_tiles<backends::has_lanes<Exec> ? 4 : 2, 4>(exec, left, right, to, partials, nullptr,
                                                     NothingMore());
}

}  // namespace heddle::detail::vectors
