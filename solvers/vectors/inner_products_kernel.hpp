// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/unroll.hpp"
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

/// W = alpha V C + beta W; alpha == 0 reads neither V nor C. A CPU takes a block of rows, and of it
/// a few vectors of V at a time, so that few streams are read at once and W stays in its nearest
/// cache; a GPU all of a row. Sums are of the type of the coefficients, Acc.
template <Scalar V, Scalar Acc, bool UnitStride, int Columns>
struct CombinationsKernel {
  using Scratch = backends::NoScratch;
  static constexpr int at_once = 8;  ///< vectors of V

  Multivector<const V> from;
  SmallMatrix<const Acc> coefficients;
  Multivector<V> to;
  Factor<Acc> alpha, beta;
  int teams;
  const int* only_if;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (only_if && *only_if == 0) return;
    const auto [first, stop] = ShareOfRows(to.rows, team.index(), teams);
    const std::int64_t block =
        Team::threads > 1 ? stop - first
                          : product_rows<typename Team::execution_space>(from.count + to.count);
    const int group = Team::threads > 1 ? from.count : at_once;
    const int read = alpha.of(0) == Acc(0) ? 0 : from.count;
    for (std::int64_t at = first; at < stop; at += block) {
      const std::int64_t until = at + block < stop ? at + block : stop;
      int j = 0;
      for (; j + Columns <= to.count; j += Columns)
        add_all<Columns>(team, at, until, j, group, read);
      for (; j < to.count; ++j) add_all<1>(team, at, until, j, group, read);
    }
  }

 private:
  /// `read` vectors of V to vectors j, ..., j + Width - 1 of W, in rows [at, until).
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const Team& team, std::int64_t at, std::int64_t until,
                                           int j, int group, int read) const {
    int i = 0;
    do {  // once for no vectors: beta W is still to be written
      const int left = read - i;
      const int count = left < group ? left : group;
      if constexpr (Team::threads > 1) {
        add<Width>(team, at, until, i, count, j);
      } else {
        add_packs<Width, Team>(at, until, i, count, j);
      }
      i += group;
    } while (i < read);
  }

  /// Of a GPU: vectors i, ..., i + count - 1 of V, a row a lane.
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, std::int64_t at, std::int64_t until, int i,
                                       int count, int j) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr int together = at_once / Width;  // loads that do not wait for each other
    for (at += team.thread(); at < until; at += Team::threads) {
      const Entries<Pack, UnitStride, false> entries{at, 0, until - at};
      Pack sum[Width];
      begin<Width>(entries, i, j, sum);
      int k = 0;
      for (; k + together <= count; k += together) {
        Pack entry[together];
        HEDDLE_UNROLL(together)
        for (int a = 0; a < together; ++a) {
          entry[a] = entries.load(vector(from, i + k + a), from.row_stride);
        }
        HEDDLE_UNROLL(together)
        for (int a = 0; a < together; ++a) add_one(entry[a], i + k + a, j, sum);
      }
      for (; k < count; ++k) {
        add_one(entries.load(vector(from, i + k), from.row_stride), i + k, j, sum);
      }
      end<Width>(entries, j, sum);
    }
  }

  /// Of a CPU: two packs of rows, with the coefficients at hand.
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_packs(std::int64_t at, std::int64_t until, int i, int count,
                                             int j) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr int width = Pack::width;
    Pack factors[at_once][Width];
    const V* vectors_of_v[at_once];
    for (int k = 0; k < count; ++k) {
      vectors_of_v[k] = vector(from, i + k);
      for (int b = 0; b < Width; ++b) factors[k][b] = Pack::all(factor(i + k, j + b));
    }
    for (; at + 2 * width <= until; at += 2 * width) {
      const Entries<Pack, UnitStride, true> low{at, 0, width}, high{at + width, 0, width};
      Pack low_sum[Width], high_sum[Width];
      begin<Width>(low, i, j, low_sum);
      begin<Width>(high, i, j, high_sum);
      for (int k = 0; k < count; ++k) {
        const Pack of_low = low.load(vectors_of_v[k], from.row_stride);
        const Pack of_high = high.load(vectors_of_v[k], from.row_stride);
        for (int b = 0; b < Width; ++b) {
          low_sum[b] = Pack::multiply_add(factors[k][b], of_low, low_sum[b]);
          high_sum[b] = Pack::multiply_add(factors[k][b], of_high, high_sum[b]);
        }
      }
      end<Width>(low, j, low_sum);
      end<Width>(high, j, high_sum);
    }
    for (; at < until; at += width) {
      const Entries<Pack, UnitStride, false> entries{at, 0, until - at};
      Pack sum[Width];
      begin<Width>(entries, i, j, sum);
      for (int k = 0; k < count; ++k) {
        const Pack entry = entries.load(vectors_of_v[k], from.row_stride);
        for (int b = 0; b < Width; ++b) {
          sum[b] = Pack::multiply_add(factors[k][b], entry, sum[b]);
        }
      }
      end<Width>(entries, j, sum);
    }
  }

  /// What vector v of V adds to those of W from j on.
  template <int Width, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_one(const Pack& entry, int v, int j,
                                           Pack (&sum)[Width]) const {
    for (int b = 0; b < Width; ++b) {
      sum[b] = Pack::multiply_add(Pack::all(factor(v, j + b)), entry, sum[b]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc factor(int i, int j) const {
    return alpha.of(0) * coefficients(i, j);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T* vector(const Multivector<T>& of, int v) {
    return of.data + v * of.vector_stride;
  }

  /// What the sums begin with: beta W before the first vectors of V, then what they came to.
  template <int Width, class Entry, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Entry& entries, int i, int j,
                                         Pack (&sum)[Width]) const {
    const Acc scale = i == 0 ? beta.of(0) : Acc(1);
    for (int b = 0; b < Width; ++b) {
      sum[b] = Pack::zero();
      if (scale == Acc(0)) continue;
      sum[b] = entries.load(static_cast<const V*>(vector(to, j + b)), to.row_stride);
      if (i == 0) sum[b] = Pack::multiply(Pack::all(scale), sum[b]);
    }
  }
  template <int Width, class Entry, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void end(const Entry& entries, int j,
                                       const Pack (&sum)[Width]) const {
    for (int b = 0; b < Width; ++b) {
      Entry of_vector = entries;
      of_vector.vector = j + b;
      of_vector.store(to, sum[b]);
    }
  }
};

template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_combinations(const Exec& exec, const Multivector<const V>& from,
                         const SmallMatrix<const Acc>& coefficients, const Multivector<V>& to,
                         const Factor<Acc>& alpha, const Factor<Acc>& beta, const int* only_if) {
  const int teams =
      backends::has_lanes<Exec> ? teams_of_lanes(exec, to.rows) : teams_for(exec, to.rows);
  const bool unit_stride = has_unit_stride(from) && has_unit_stride(to);
  const auto launch = [&]<int columns>() {
    launch_by_stride(exec, "heddle::vectors::combine", teams, unit_stride, [&]<bool unit>() {
      return CombinationsKernel<V, Acc, unit, columns>{from, coefficients, to,     alpha,
                                                       beta, teams,        only_if};
    });
  };
  if (to.count == 1) return launch.template operator()<1>();
  launch.template operator()<4>();
}

}  // namespace heddle::detail::vectors
