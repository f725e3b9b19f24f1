// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

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

/// The rows of one vector that a lane holds at once. UnitStride: whether entries of a vector follow
/// each other. Whole: whether all rows of the pack exist.
template <class Pack, bool UnitStride, bool Whole>
struct Entries {
  std::int64_t row;
  int vector;
  std::int64_t rows;  ///< number of rows from `row` on

  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<V>& v) const {
    const V* const from = address(v);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, v.row_stride, mask());
    }
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<const V>& v) const {
    return load(
        Multivector<V>{const_cast<V*>(v.data), v.row_stride, v.vector_stride, v.rows, v.count});
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Multivector<V>& v, const Pack& values) const {
    V* const to = address(v);
    if constexpr (UnitStride && Whole) {
      Pack::store(to, values);
    } else if constexpr (UnitStride) {
      Pack::store(to, values, mask());
    } else {
      Pack::store_strided(to, v.row_stride, values, mask());
    }
  }
  /// Loads from the vector that begins at `first`, for loops over many vectors.
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const V* first, int row_stride) const {
    const V* const from = first + row * (UnitStride ? 1 : row_stride);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, row_stride, mask());
    }
  }
  /// The values, with zeros beyond the last row, for sums.
  KOKKOS_FORCEINLINE_FUNCTION Pack keep(const Pack& values) const {
    if constexpr (Whole) {
      return values;
    } else {
      return Pack::keep(mask(), values);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION typename Pack::Mask mask() const {
    return Pack::Mask::first(Whole ? Pack::width : rows);
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION V* address(const Multivector<V>& v) const {
    return v.data + row * (UnitStride ? 1 : v.row_stride) + vector * v.vector_stride;
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
        pass.finish(vector(v), total + v * sums);
      }
    }
  }
};

template <ExecutionSpace Exec, class Pass>
void stream(const Exec& exec, const char* label, std::int64_t rows, int vectors, bool unit_stride,
            const Pass& pass,
            const VectorWorkspace<Exec, typename Pass::accumulator_type>* workspace) {
  if (rows == 0 && Pass::sums == 0) return;
  for (int first = 0; first < vectors; first += vectors_at_once) {
    const int count = std::min(vectors - first, vectors_at_once);
    team_sums::Partials<typename Pass::accumulator_type> partials;
    if constexpr (Pass::sums > 0) partials = workspace->partials(count * Pass::sums);
    const int teams = std::min(teams_for(exec, rows), partials.most_teams);
    const auto launch = [&]<int most>() {
      launch_by_stride(exec, label, teams, unit_stride, [&]<bool unit>() {
        return StreamKernel<Pass, unit, most>{pass, rows, first, count, teams, partials};
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
/// registers, and a CPU computes all tiles of a block of rows before the next block. On a GPU, if W
/// is one vector, each tile has teams of its own, so that all of V is loaded at once. The last team
/// calls the epilogue `finish` once G is complete. The kernel does nothing if *only_if, a number on
/// the device, is zero.
template <Scalar V, Scalar Acc, bool UnitStride, int Columns, int TileRows, class Finish>
struct InnerProductsKernel {
  static constexpr int tile_rows = TileRows;
  static constexpr int tile = tile_rows * Columns;
  using Scratch = team_sums::Scratch<Acc, tile>;

  Multivector<const V> left, right;
  SmallMatrix<Acc> result;
  team_sums::Partials<Acc> partials;
  int shares;  ///< number of shares of the rows
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
    // A tile that reaches beyond the last vector reads that one again, and drops the sums.
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

  /// There are no loops: compilers keep an array in registers only if every index is a constant
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

/// Computes V' w for one vector w, then runs the epilogue finish(team) in one team. The kernel does
/// nothing if *only_if is zero.
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
  // Tiles are small enough for sums to stay in registers.
  launch_tiles<backends::has_lanes<Exec> ? 4 : 2, 4>(exec, left, right, to, partials, nullptr,
                                                     NothingMore());
}

/// W = alpha V C + beta W; alpha == 0 reads neither V nor C. A CPU computes a block of rows, from a
/// few vectors of V at a time, so that few streams are read at once and W stays in the nearest
/// cache. A GPU computes whole rows. Sums have the type of the coefficients, Acc.
template <Scalar V, Scalar Acc, bool UnitStride, int Columns>
struct CombinationsKernel {
  using Scratch = backends::NoScratch;
  static constexpr int at_once = 8;  ///< number of vectors of V at a time

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
  /// Adds `read` vectors of V to vectors j, ..., j + Width - 1 of W, in rows [at, until).
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const Team& team, std::int64_t at, std::int64_t until,
                                           int j, int group, int read) const {
    int i = 0;
    do {  // runs once without vectors too, to write beta W
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

  /// Adds vectors i, ..., i + count - 1 of V on a GPU, a row for each lane.
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

  /// Adds vectors on a CPU, two packs of rows at a time, with the coefficients in registers.
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

  /// Adds an entry of vector v of V to the sums of W from vector j on.
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

  /// Start of the sums: beta W for the first vectors of V, then W with the sums so far.
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
