// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/common/team_sums/last_team.hpp"
#include "inner_products.hpp"
#include "launch.hpp"

namespace heddle::detail::vectors {

/// G = V' W by tiles of Rows x Columns numbers: a lane adds up the products of its rows in
/// registers, and a CPU takes all tiles of a block of rows before the next block.
template <Scalar V, Scalar Acc, bool UnitStride, int Columns>
struct InnerProductsKernel {
  static constexpr int tile_rows = 4;
  static constexpr int tile = tile_rows * Columns;
  using Scratch = team_sums::Scratch<Acc, tile>;

  Multivector<const V> left, right;
  SmallMatrix<Acc> result;
  team_sums::Partials<Acc> partials;
  int teams;
  const int* only_if;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (only_if && *only_if == 0) return;
    const auto [first, stop] = ShareOfRows(left.rows, team.index(), teams);
    Acc* const mine = partials.sums + team.index() * partials.values;
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
    if (!team_sums::is_last(team, scratch, partials.through, teams)) return;
    Acc sums[tile];
    for (int at = 0; at < partials.values; at += tile) {
      const int values = partials.values - at < tile ? partials.values - at : tile;
      team_sums::add_over_teams(team, scratch, partials, teams, at, values, sums);
      if (team.thread() == 0) {
        for (int i = 0; i < values; ++i) {
          result((at + i) % left.count, (at + i) / left.count) = sums[i];
        }
      }
    }
  }

 private:
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
          mine[(j + b) * left.count + i + a] += sums[b * tile_rows + a];
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

template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_inner_products(const Exec& exec, const Multivector<const V>& left,
                           const Multivector<const V>& right, const SmallMatrix<Acc>& to,
                           const team_sums::Partials<Acc>& partials, const int* only_if) {
  const int teams = std::min(teams_for(exec, left.rows), partials.most_teams);
  const bool unit_stride = has_unit_stride(left) && has_unit_stride(right);
  const auto launch = [&]<int columns>() {
    launch_by_stride(exec, "heddle::vectors::inner_products", teams, unit_stride, [&]<bool unit>() {
      return InnerProductsKernel<V, Acc, unit, columns>{left, right, to, partials, teams, only_if};
    });
  };
  if (right.count == 1) return launch.template operator()<1>();
  launch.template operator()<backends::has_lanes<Exec> ? 4 : 2>();  // so sums stay in registers
}

}  // namespace heddle::detail::vectors
