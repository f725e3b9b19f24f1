// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <concepts>

#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/algorithms/team_sums_workspace.hpp"
#include "../../backends/lanes.hpp"
#include "../../backends/launch_simd.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/multivector.hpp"
#include "operations.hpp"

/// How passes over vectors are mapped to teams and lanes.
namespace heddle::detail::vectors {

struct Tuning {
  int threads;                   ///< threads of a team
  int packs;                     ///< packs that a lane loads together
  std::int64_t least_rows;       ///< rows of a team; fewer are not worth another one
  std::int64_t block_rows;       ///< rows of each vector in turn; row-major vectors stay cached
  std::int64_t inner_rows;       ///< rows of a block of V' W, which stays in the first cache
  std::int64_t product_entries;  ///< entries of a block of V C, which stays in the second cache
};

template <ExecutionSpace Exec>
inline constexpr Tuning tuning_of =
    backends::has_lanes<Exec> ? Tuning{team_sums::team_threads, 4, 1024, 1024, 1024, 1 << 15}
                              : Tuning{1, 4, 4096, 1024, 256, 1 << 15};

/// Number of rows in a block of V C on a CPU, where V and W have so many columns together: few
/// enough for the second cache, from which they are read again, and enough for the prefetcher.
template <ExecutionSpace Exec>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t product_rows(int columns) {
  constexpr std::int64_t least = 128;
  const std::int64_t rows = tuning_of<Exec>.product_entries / (columns > 0 ? columns : 1) / 64 * 64;
  return rows > least ? rows : least;
}

/// Number of teams for a pass over `rows` rows, of at least `least_rows` each: as many as can run
/// at once.
template <ExecutionSpace Exec>
int teams_for(const Exec& exec, std::int64_t rows,
              std::int64_t least_rows = tuning_of<Exec>.least_rows) {
  const std::int64_t most = std::max<std::int64_t>(1, exec.concurrency() / tuning_of<Exec>.threads);
  return static_cast<int>(std::clamp<std::int64_t>(ceil_div(rows, least_rows), 1, most));
}

/// Number of teams for a pass over rows of so many vectors together, on a CPU: fewer rows are worth
/// a team than of the two vectors that least_rows counts.
template <ExecutionSpace Exec>
int teams_for_all(const Exec& exec, std::int64_t rows, int vectors) {
  constexpr std::int64_t least = 256;  // rows; the last team adds up the numbers of all
  const std::int64_t of_two = 2 * tuning_of<Exec>.least_rows;
  return teams_for(exec, rows, std::max(least, of_two / std::max(2, vectors)));
}

/// Number of teams on a GPU with a row for each lane.
template <ExecutionSpace Exec>
int teams_of_lanes(const Exec& exec, std::int64_t rows) {
  return teams_for(exec, rows, tuning_of<Exec>.threads);
}

/// The rows of a team: shares begin at multiples of 64, so that no two teams share a cache line.
struct ShareOfRows {
  std::int64_t first, stop;

  KOKKOS_FORCEINLINE_FUNCTION ShareOfRows(std::int64_t rows, std::int64_t team, int teams) {
    constexpr std::int64_t line = 64;
    const std::int64_t lines = ceil_div(rows, line);
    const std::int64_t end = lines * (team + 1) / teams * line;
    first = lines * team / teams * line;
    stop = end < rows ? end : rows;
  }
};

/// Launches make.operator()<unit>(), a kernel for vectors of unit stride, or for any stride. Each
/// is compiled once: on a CPU the first for AVX2 if the compiler supports it, and processors
/// without AVX2 run the second.
template <ExecutionSpace Exec, class Make>
void launch_by_stride(const Exec& exec, const char* label, std::int64_t teams, bool unit_stride,
                      const Make& make) {
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning_of<Exec>.threads>;
  if constexpr (!backends::has_lanes<Exec>) {
    if constexpr (backends::compiles_simd && backends::runs_on_host<Exec>) {
      if (unit_stride && backends::best_simd() != backends::Simd::none) {
        return backends::launch_with_simd<Shape>(exec, label, teams,
                                                 make.template operator()<true>());
      }
    } else if (unit_stride) {
      return backends::launch_without_simd<Shape>(exec, label, teams,
                                                  make.template operator()<true>());
    }
  }
  backends::launch_without_simd<Shape>(exec, label, teams, make.template operator()<false>());
}

}  // namespace heddle::detail::vectors

namespace heddle::detail {

template <Scalar V>
inline constexpr bool is_defined<vectors::StreamKernels<V>> = true;

}  // namespace heddle::detail

namespace heddle::detail::vectors {

/// The kernel of a pass (operands.hpp).
template <class Pass, bool UnitStride, int MostVectors>
struct StreamKernel {
  using Acc = typename Pass::accumulator_type;
  static constexpr int sums = Pass::sums;
  static constexpr int values = sums == 0 ? 1 : sums * MostVectors;
  using Scratch =
      std::conditional_t<sums == 0, backends::NoScratch, team_sums::Scratch<Acc, values>>;

  Pass pass;
  std::int64_t rows;
  int first_vector;
  int vectors;
  int teams;
  team_sums::Partials<Acc> partials;
  Acc* totals;  ///< see stream

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    using Exec = typename Team::execution_space;
    Acc total[values];
    for (int i = 0; i < values; ++i) total[i] = Acc(0);
    if constexpr (backends::has_lanes<Exec>) {
      stride_over_rows(team, total);
    } else {
      walk_over_rows(team, total);
    }
    if constexpr (sums > 0) add_up(team, scratch, total);
  }

 private:
  template <class Team>
  using Pack = backends::Pack<Team, Acc>;
  template <class Team>
  static constexpr Tuning tuning = tuning_of<typename Team::execution_space>;

  /// Index of a vector, which is a constant in launches of one vector.
  KOKKOS_FORCEINLINE_FUNCTION int vector(int v) const {
    return MostVectors == 1 ? 0 : first_vector + v;
  }

  /// Loop of a GPU: threads have neighbouring rows (coalesced), and teams have blocks in turn.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stride_over_rows(const Team& team, Acc (&total)[values]) const {
    constexpr std::int64_t block = std::int64_t{Team::threads} * tuning<Team>.packs;
    HEDDLE_UNROLL(MostVectors)
    for (int v = 0; v < MostVectors; ++v) {
      if (v >= vectors || !pass.active(vector(v))) continue;
      Pack<Team> part[sums == 0 ? 1 : sums];
      for (auto& sum : part) sum = Pack<Team>::zero();
      for (std::int64_t at = team.index() * block; at < rows; at += block * teams) {
        step<Team>(at + team.thread(), vector(v), part);
      }
      for (int s = 0; s < sums; ++s) total[v * sums + s] = Pack<Team>::sum(part[s]);
    }
  }

  /// Loop of a CPU: a thread has neighbouring rows, block by block if there are several vectors.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void walk_over_rows(const Team& team, Acc (&total)[values]) const {
    const ShareOfRows share(rows, team.index(), teams);
    const std::int64_t block = vectors == 1 ? share.stop - share.first : tuning<Team>.block_rows;
    for (std::int64_t at = share.first; at < share.stop; at += block) {
      const std::int64_t until = at + block < share.stop ? at + block : share.stop;
      for (int v = 0; v < vectors; ++v) {
        if (pass.active(vector(v))) walk<Team>(at, until, vector(v), total + v * sums);
      }
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t at, std::int64_t until, int v,
                                        Acc* total) const {
    constexpr int width = Pack<Team>::width, packs = tuning<Team>.packs;
    Pack<Team> part[packs][sums == 0 ? 1 : sums];
    for (auto& of_pack : part) {
      for (auto& sum : of_pack) sum = Pack<Team>::zero();
    }
    const auto operands = pass.operands(v);
    const auto formula = pass.template formula<Pack<Team>>(v);
    for (; at + packs * width <= until; at += packs * width) {
      for (int p = 0; p < packs; ++p) {
        const Entries<Pack<Team>, UnitStride, true> entries{at + p * width, v, width};
        auto values = operands.template load<Pack<Team>>(entries);
        operands.compute(formula, entries, values, part[p]);
      }
    }
    for (; at < until; at += width) {
      const Entries<Pack<Team>, UnitStride, false> entries{at, v, until - at};
      auto values = operands.template load<Pack<Team>>(entries);
      operands.compute(formula, entries, values, part[0]);
    }
    for (int s = 0; s < sums; ++s) {
      const Pack<Team> low = Pack<Team>::add(part[0][s], part[1][s]);
      const Pack<Team> high = Pack<Team>::add(part[2][s], part[3][s]);
      total[s] += Pack<Team>::sum(Pack<Team>::add(low, high));
    }
  }

  /// Step of a lane: rows at, at + threads, ..., one for each pack. Their loads overlap.
  template <class Team, int Sums>
  KOKKOS_FORCEINLINE_FUNCTION void step(std::int64_t at, int v, Pack<Team> (&part)[Sums]) const {
    constexpr int packs = tuning<Team>.packs;
    using Entry = Entries<Pack<Team>, UnitStride, false>;
    const auto operands = pass.operands(v);
    const auto formula = pass.template formula<Pack<Team>>(v);
    typename decltype(operands)::template Values<Pack<Team>> values[packs];
    HEDDLE_UNROLL(packs)
    for (int p = 0; p < packs; ++p) {
      const std::int64_t row = at + p * Team::threads;
      values[p] = operands.template load<Pack<Team>>(Entry{row, v, rows - row});
    }
    HEDDLE_UNROLL(packs)
    for (int p = 0; p < packs; ++p) {
      const std::int64_t row = at + p * Team::threads;
      operands.compute(formula, Entry{row, v, rows - row}, values[p], part);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, Scratch& scratch,
                                          Acc (&total)[values]) const {
    const int numbers = vectors * sums;
    team_sums::add_over_team(team, scratch, total, numbers);
    if (team.thread() == 0) {
      for (int i = 0; i < numbers; ++i) {
        partials.sums[team.index() * partials.values + i] = total[i];
      }
    }
    if (!team_sums::is_last(team, scratch, partials.through, teams)) return;
    team_sums::add_over_teams(team, scratch, partials, teams, 0, numbers, total);
    if (team.thread() == 0) {
      for (int v = 0; v < vectors; ++v) {
        if (totals) {
          for (int s = 0; s < sums; ++s) totals[vector(v) * sums + s] = total[v * sums + s];
        } else {
          pass.finish(vector(v), total + v * sums);
        }
      }
    }
  }
};

template <ExecutionSpace Exec, class Pass>
void stream(const Exec& exec, const char* label, std::int64_t rows, int vectors, bool unit_stride,
            const Pass& pass,
            const VectorWorkspace<Exec, typename Pass::accumulator_type>* workspace,
            typename Pass::accumulator_type* totals) {
  if (rows == 0 && Pass::sums == 0) return;
  for (int first = 0; first < vectors; first += vectors_at_once) {
    const int count = std::min(vectors - first, vectors_at_once);
    team_sums::Partials<typename Pass::accumulator_type> partials;
    if constexpr (Pass::sums > 0) partials = workspace->partials(count * Pass::sums);
    const int teams = std::min(teams_for(exec, rows), partials.most_teams);
    const auto launch = [&]<int most>() {
      launch_by_stride(exec, label, teams, unit_stride, [&]<bool unit>() {
        return StreamKernel<Pass, unit, most>{pass, rows, first, count, teams, partials, totals};
      });
    };
    if constexpr (backends::has_lanes<Exec>) {
      if (vectors == 1) {
        launch.template operator()<1>();
        continue;
      }
    }
    launch.template operator()<vectors_at_once>();
  }
}

}  // namespace heddle::detail::vectors

namespace heddle::detail::vectors {

/// The epilogue of sums from which nothing else is computed.
struct NothingMore {
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team&) const {}
};

/// G = V' W by tiles of TileRows x Columns numbers: a lane adds up the products of its rows in
/// registers, and a CPU computes all tiles of a block of rows before the next block. On a GPU, with
/// tiles of one column, each tile has teams of its own, so that all of V is loaded at once. The
/// last team calls the epilogue `finish` once G is complete. With Own every w of W has a V of its
/// own, and G a last row of w' w.
template <Scalar V, Scalar W, Scalar Acc, bool UnitStride, int Columns, int TileRows, bool Own,
          class Finish>
struct InnerProductsKernel {
  static_assert(!Own || Columns == 1);
  static constexpr int tile_rows = TileRows;
  static constexpr int products = tile_rows * Columns;
  static constexpr int tile = products + (Own ? 1 : 0);
  using Scratch = team_sums::Scratch<Acc, tile>;

  VectorsOfEach<const V> left;
  Multivector<const W> right;
  SmallMatrix<Acc> result;
  team_sums::Partials<Acc> partials;
  int shares;  ///< number of shares of the rows
  WantedVectors wanted;
  Finish finish;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (wanted.none()) return;
    const int tiles = tiles_apart<Team::threads>(left.first.count, right.count);
    const auto team_index = static_cast<int>(team.index());
    const int share = team_index / tiles;
    const auto [first, stop] = ShareOfRows(right.rows, share, shares);
    Acc* const mine = partials.sums + std::int64_t{share} * partials.values;
    if constexpr (apart<Team::threads>) {
      const int of_one = tiles / right.count, i = team_index % tiles % of_one * tile_rows;
      const int j = team_index % tiles / of_one;
      if (!wanted.skips(j)) add_tile(team, scratch, first, stop, i, j, mine);
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
  KOKKOS_FORCEINLINE_FUNCTION static int tiles_apart(int vectors, int columns) {
    return apart<Threads> ? (vectors + tile_rows - 1) / tile_rows * columns : 1;
  }

 private:
  /// Number of rows of G.
  KOKKOS_FORCEINLINE_FUNCTION int numbers() const { return left.first.count + (Own ? 1 : 0); }

  /// Adds up G, in the last team. Several numbers of a share are read at once, since nothing else
  /// runs that could hide the latency.
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
        if (i + k >= partials.values) break;  // the same in all lanes
        const Acc sum = subwarp.sum(sums[k]);
        const int row = (i + k) % numbers(), column = (i + k) / numbers();
        if (subwarp.lane() == 0 && !wanted.skips(column)) result(row, column) = sum;
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
        if (wanted.skips(j)) continue;
        for (int i = 0; i < left.first.count; i += tile_rows) {
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
    // A tile that reaches beyond the last vector reads that one again, and drops the sums.
    const int vectors = left.first.count;
    const V* of_left[tile_rows];
    const W* of_right[Columns];
    for (int a = 0; a < tile_rows; ++a) {
      of_left[a] = left.vector(j, i + a < vectors ? i + a : vectors - 1);
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
    const auto put = [&](int row, int column, const Acc& more) {
      Acc& sum = mine[column * numbers() + row];
      sum = (apart<Team::threads> ? Acc(0) : sum) + more;
    };
    for (int b = 0; b < Columns; ++b) {
      for (int a = 0; a < tile_rows; ++a) {
        if (i + a < vectors && j + b < right.count) put(i + a, j + b, sums[b * tile_rows + a]);
      }
    }
    if constexpr (Own) {
      if (i == 0) put(vectors, j, sums[products]);
    }
  }

  template <class Pack, bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(std::int64_t at, std::int64_t rows,
                                            const V* const (&of_left)[tile_rows],
                                            const W* const (&of_right)[Columns],
                                            Pack (&part)[tile]) const {
    add_rows(Entries<Pack, UnitStride, Whole>{at, 0, rows}, of_left, of_right, part,
             std::make_integer_sequence<int, tile_rows>(),
             std::make_integer_sequence<int, Columns>(),
             std::make_integer_sequence<int, products>());
  }

  /// There are no loops: compilers keep an array in registers only if every index is a constant
  /// early enough.
  template <class Entry, class Pack, int... A, int... B, int... T>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Entry& entries,
                                            const V* const (&of_left)[tile_rows],
                                            const W* const (&of_right)[Columns], Pack (&part)[tile],
                                            std::integer_sequence<int, A...>,
                                            std::integer_sequence<int, B...>,
                                            std::integer_sequence<int, T...>) const {
    const Pack rows_of_left[] = {
        Pack::conjugate(entries.load(of_left[A], left.first.row_stride))...};
    const Pack rows_of_right[] = {entries.load(of_right[B], right.row_stride)...};
    ((part[T] =
          Pack::multiply_add(rows_of_left[T % tile_rows], rows_of_right[T / tile_rows], part[T])),
     ...);
    if constexpr (Own) add_dot(rows_of_right[0], rows_of_right[0], part[products]);
  }
};

template <int Columns, int TileRows, bool Own, ExecutionSpace Exec, Scalar V, Scalar W, Scalar Acc,
          class Finish>
void launch_tiles(const Exec& exec, const VectorsOfEach<const V>& left,
                  const Multivector<const W>& right, const SmallMatrix<Acc>& to,
                  const team_sums::Partials<Acc>& partials, const WantedVectors& wanted,
                  const Finish& finish) {
  using AnyStride = InnerProductsKernel<V, W, Acc, false, Columns, TileRows, Own, Finish>;
  constexpr int threads = backends::has_lanes<Exec> ? tuning_of<Exec>.threads : 1;
  constexpr int few = 128;  // teams
  int shares = backends::has_lanes<Exec> || Own
                   ? teams_for(exec, right.rows)
                   : teams_for_all(exec, right.rows, left.first.count + right.count);
  const int tiles = AnyStride::template tiles_apart<threads>(left.first.count, right.count);
  if constexpr (AnyStride::template apart<threads>) {
    if (shares < few) shares = std::min(few, teams_of_lanes(exec, right.rows));
    const int most = exec.concurrency() / tuning_of<Exec>.threads / 2;  // a quarter runs at once
    shares = std::min(shares, std::max(1, most / tiles));
  }
  shares = std::min(shares, partials.most_teams);
  const bool unit_stride = has_unit_stride(left.first) && has_unit_stride(right);
  launch_by_stride(exec, "heddle::vectors::inner_products", std::int64_t{shares} * tiles,
                   unit_stride, [&]<bool unit>() {
                     return InnerProductsKernel<V, W, Acc, unit, Columns, TileRows, Own, Finish>{
                         left, right, to, partials, shares, wanted, finish};
                   });
}

/// Computes V' w and, as a last number, w' w for every w of W with its own V; then one team runs
/// the epilogue finish(team).
template <ExecutionSpace Exec, Scalar V, Scalar W, Scalar Acc, class Finish>
void launch_own_inner_products(const Exec& exec, const VectorsOfEach<const V>& left,
                               const Multivector<const W>& right, const SmallMatrix<Acc>& to,
                               const team_sums::Partials<Acc>& partials,
                               const WantedVectors& wanted, const Finish& finish) {
  launch_tiles<1, backends::has_lanes<Exec> ? 8 : 4, true>(exec, left, right, to, partials, wanted,
                                                           finish);
}

template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_inner_products(const Exec& exec, const Multivector<const V>& left,
                           const Multivector<const V>& right, const SmallMatrix<Acc>& to,
                           const team_sums::Partials<Acc>& partials) {
  // Tiles are small enough for sums to stay in registers.
  constexpr bool lanes = backends::has_lanes<Exec>;
  const auto launch = [&]<int columns, int tile_rows>() {
    launch_tiles<columns, tile_rows, false>(exec, VectorsOfEach<const V>{left}, right, to, partials,
                                            WantedVectors(), NothingMore());
  };
  if (right.count == 1) return launch.template operator()<1, lanes ? 8 : 4>();
  launch.template operator()<lanes ? 4 : 2, 4>();
}

/// W = alpha V C + beta W; alpha == 0 reads neither V nor C. A CPU computes a block of rows, from a
/// few vectors of V at a time, so that few streams are read at once and W stays in the nearest
/// cache. A GPU computes whole rows. Sums have the type of the coefficients, Acc. Tiles of one
/// column may have a V, a column of C, alpha and beta of their own.
template <Scalar V, Scalar W, Scalar Acc, bool UnitStride, int Columns>
struct CombinationsKernel {
  using Scratch = backends::NoScratch;
  static constexpr int at_once = 8;  ///< number of vectors of V at a time

  VectorsOfEach<const V> from;
  SmallMatrix<const Acc> coefficients;
  Multivector<W> to;
  Factor<Acc> alpha, beta;
  int teams;
  WantedVectors wanted;
  RoundedCopy<V> rounded;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (wanted.none()) return;
    const auto [first, stop] = ShareOfRows(to.rows, team.index(), teams);
    const std::int64_t block =
        Team::threads > 1
            ? stop - first
            : product_rows<typename Team::execution_space>(from.first.count + to.count);
    for (std::int64_t at = first; at < stop; at += block) {
      const std::int64_t until = at + block < stop ? at + block : stop;
      int j = 0;
      for (; j + Columns <= to.count; j += Columns) add_all<Columns>(team, at, until, j);
      for (; j < to.count; ++j) add_all<1>(team, at, until, j);
    }
  }

 private:
  /// Adds all vectors of V to vectors j, ..., j + Width - 1 of W, in rows [at, until).
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const Team& team, std::int64_t at, std::int64_t until,
                                           int j) const {
    if (wanted.skips(j)) return;
    const int read = alpha.of(j) == Acc(0) ? 0 : from.first.count;
    const int group = Team::threads > 1 ? from.first.count : at_once;
    int i = 0;
    do {  // runs once without vectors too, to write beta W
      const int left = read - i;
      const int count = left < group ? left : group;
      const bool last = i + group >= read;
      if constexpr (Team::threads > 1) {
        add<Width>(team, at, until, i, count, j, last);
      } else {
        add_packs<Width, Team>(at, until, i, count, j, last);
      }
      i += group;
    } while (i < read);
  }

  /// Adds vectors i, ..., i + count - 1 of V on a GPU, one or two rows for each lane.
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, std::int64_t at, std::int64_t until, int i,
                                       int count, int j, bool last) const {
    using Pack = backends::Pack<Team, Acc>;
    // Loads that do not wait for each other; their coefficients take few scalar registers.
    constexpr int together = at_once / Width / (sizeof(Acc) > sizeof(double) ? 2 : 1);
    constexpr int rows = Width == 1 ? 2 : 1;
    Acc scales[Width];
    for (int b = 0; b < Width; ++b) scales[b] = alpha.of(j + b);
    for (at += team.thread(); at < until; at += rows * Team::threads) {
      const auto entries_of = [&](int row) {
        const std::int64_t of_row = at + row * Team::threads;
        return Entries<Pack, UnitStride, false>{of_row, 0, until - of_row};
      };
      Pack sum[rows][Width];
      HEDDLE_UNROLL(rows)
      for (int r = 0; r < rows; ++r) begin<Width>(entries_of(r), i, j, sum[r]);
      int k = 0;
      for (; k + together <= count; k += together) {
        add_some<together>(entries_of, i + k, j, scales, sum);
      }
      for (; k < count; ++k) add_some<1>(entries_of, i + k, j, scales, sum);
      HEDDLE_UNROLL(rows)
      for (int r = 0; r < rows; ++r) end<Width>(entries_of(r), j, sum[r], last);
    }
  }

  /// Adds vectors v, ..., v + Vectors - 1 of V to the sums of each row of a lane.
  template <int Vectors, int Width, int Rows, class EntriesOf, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_some(const EntriesOf& entries_of, int v, int j,
                                            const Acc (&scales)[Width],
                                            Pack (&sum)[Rows][Width]) const {
    Pack entry[Rows][Vectors];
    HEDDLE_UNROLL(Rows)
    for (int r = 0; r < Rows; ++r) {
      HEDDLE_UNROLL(Vectors)
      for (int a = 0; a < Vectors; ++a) {
        entry[r][a] = entries_of(r).load(from.vector(j, v + a), from.first.row_stride);
      }
    }
    HEDDLE_UNROLL(Vectors)
    for (int a = 0; a < Vectors; ++a) {
      for (int b = 0; b < Width; ++b) {
        const Pack factor = Pack::all(scales[b] * coefficients(v + a, j + b));
        HEDDLE_UNROLL(Rows)
        for (int r = 0; r < Rows; ++r) {
          sum[r][b] = Pack::multiply_add(factor, entry[r][a], sum[r][b]);
        }
      }
    }
  }

  /// Adds vectors on a CPU, two packs of rows at a time, with the coefficients in registers.
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_packs(std::int64_t at, std::int64_t until, int i, int count,
                                             int j, bool last) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr int width = Pack::width;
    Pack factors[at_once][Width];
    const V* vectors_of_v[at_once];
    for (int k = 0; k < count; ++k) {
      vectors_of_v[k] = from.vector(j, i + k);
      for (int b = 0; b < Width; ++b) factors[k][b] = Pack::all(factor(i + k, j + b));
    }
    for (; at + 2 * width <= until; at += 2 * width) {
      const Entries<Pack, UnitStride, true> low{at, 0, width}, high{at + width, 0, width};
      Pack low_sum[Width], high_sum[Width];
      begin<Width>(low, i, j, low_sum);
      begin<Width>(high, i, j, high_sum);
      for (int k = 0; k < count; ++k) {
        const Pack of_low = low.load(vectors_of_v[k], from.first.row_stride);
        const Pack of_high = high.load(vectors_of_v[k], from.first.row_stride);
        for (int b = 0; b < Width; ++b) {
          low_sum[b] = Pack::multiply_add(factors[k][b], of_low, low_sum[b]);
          high_sum[b] = Pack::multiply_add(factors[k][b], of_high, high_sum[b]);
        }
      }
      end<Width>(low, j, low_sum, last);
      end<Width>(high, j, high_sum, last);
    }
    for (; at < until; at += width) {
      const Entries<Pack, UnitStride, false> entries{at, 0, until - at};
      Pack sum[Width];
      begin<Width>(entries, i, j, sum);
      for (int k = 0; k < count; ++k) {
        const Pack entry = entries.load(vectors_of_v[k], from.first.row_stride);
        for (int b = 0; b < Width; ++b) {
          sum[b] = Pack::multiply_add(factors[k][b], entry, sum[b]);
        }
      }
      end<Width>(entries, j, sum, last);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc factor(int i, int j) const {
    return alpha.of(j) * coefficients(i, j);
  }
  /// Start of the sums: beta W for the first vectors of V, then W with the sums so far.
  template <int Width, class Entry, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Entry& entries, int i, int j,
                                         Pack (&sum)[Width]) const {
    const Acc scale = i == 0 ? beta.of(j) : Acc(1);
    for (int b = 0; b < Width; ++b) {
      sum[b] = Pack::zero();
      if (scale == Acc(0)) continue;
      sum[b] =
          entries.load(static_cast<const W*>(to.data + (j + b) * to.vector_stride), to.row_stride);
      if (i == 0) sum[b] = Pack::multiply(Pack::all(scale), sum[b]);
    }
  }
  /// `last`: the sums are complete.
  template <int Width, class Entry, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void end(const Entry& entries, int j, const Pack (&sum)[Width],
                                       [[maybe_unused]] bool last) const {
    for (int b = 0; b < Width; ++b) {
      Entry of_vector = entries;
      of_vector.vector = j + b;
      Pack value = sum[b];
      if constexpr (!std::same_as<V, W>) {
        if (last && rounded.wanted(j + b)) {
          of_vector.store(rounded.to, value);
          value = of_vector.load(rounded.to);
        }
      }
      of_vector.store(to, value);
    }
  }
};

template <int Columns, ExecutionSpace Exec, Scalar V, Scalar W, Scalar Acc>
void launch_combinations_by(const Exec& exec, const VectorsOfEach<const V>& from,
                            const SmallMatrix<const Acc>& coefficients, const Multivector<W>& to,
                            const Factor<Acc>& alpha, const Factor<Acc>& beta,
                            const WantedVectors& wanted, const RoundedCopy<V>& rounded) {
  const int teams = backends::has_lanes<Exec>
                        ? teams_of_lanes(exec, to.rows)
                        : teams_for_all(exec, to.rows, from.first.count + to.count);
  launch_by_stride(exec, "heddle::vectors::combine", teams,
                   has_unit_stride(from.first) && has_unit_stride(to), [&]<bool unit>() {
                     return CombinationsKernel<V, W, Acc, unit, Columns>{
                         from, coefficients, to, alpha, beta, teams, wanted, rounded};
                   });
}

/// w = alpha V c + beta w for every w of W, with its own V, column of C, alpha and beta; then w is
/// rounded to the precision of `rounded`, if that has memory.
template <ExecutionSpace Exec, Scalar V, Scalar W, Scalar Acc>
void launch_own_combinations(const Exec& exec, const VectorsOfEach<const V>& from,
                             const SmallMatrix<const Acc>& coefficients, const Multivector<W>& to,
                             const Factor<Acc>& alpha, const Factor<Acc>& beta,
                             const WantedVectors& wanted = {}, const RoundedCopy<V>& rounded = {}) {
  launch_combinations_by<1>(exec, from, coefficients, to, alpha, beta, wanted, rounded);
}

template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_combinations(const Exec& exec, const Multivector<const V>& from,
                         const SmallMatrix<const Acc>& coefficients, const Multivector<V>& to,
                         const Factor<Acc>& alpha, const Factor<Acc>& beta) {
  const auto launch = [&]<int columns>() {
    launch_combinations_by<columns>(exec, VectorsOfEach<const V>{from}, coefficients, to, alpha,
                                    beta, WantedVectors(), RoundedCopy<V>());
  };
  if (to.count == 1) return launch.template operator()<1>();
  launch.template operator()<4>();
}

}  // namespace heddle::detail::vectors
