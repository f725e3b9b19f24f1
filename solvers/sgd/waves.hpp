// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/algorithms/sort.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/hash.hpp"
#include "../../formats/inspect/recipe/steps.hpp"
#include "options.hpp"

namespace heddle::detail::sgd {

/// Wraps diagonals around: none of the `by` diagonals has two blocks in one row or column of
/// blocks.
struct Wrap : recipe::Step {
  std::int64_t by;

  KOKKOS_FORCEINLINE_FUNCTION recipe::Point operator()(recipe::Point p) const {
    if (p.column < 0) p.column += by;
    return p;
  }
  recipe::Extents operator()(recipe::Extents e) const {
    e.first_column = 0;
    e.columns = by;
    return e;
  }
};

/// The recipe of a wave: tiles, skewed. A block's row of blocks is Point::row, its wave
/// Point::column.
inline auto wave_of(std::int64_t rows, std::int64_t columns, std::int64_t block_rows,
                    std::int64_t block_columns) {
  const std::int64_t waves = std::max(ceil_div(rows, block_rows), ceil_div(columns, block_columns));
  return recipe::tile_rows(block_rows) | recipe::tile_columns(block_columns) | recipe::skew() |
         Wrap{{}, waves};
}

struct ShuffleKeys {
  std::uint64_t seed;
  std::int32_t* keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    keys[i] =
        static_cast<std::int32_t>(hash_of(hash_of(seed) + static_cast<std::uint64_t>(i)) >> 33);
  }
};
template <Ordinal O>
struct Invert {
  const O* at;
  O* place;
  KOKKOS_FUNCTION void operator()(std::int64_t p) const { place[at[p]] = static_cast<O>(p); }
};

/// Computes the place of each i < n in an order that `seed` shuffles. Allocates a workspace; waits
/// for `exec`.
template <ExecutionSpace Exec, Ordinal O>
void shuffle(const Exec& exec, std::int64_t n, std::uint64_t seed, O* order, O* place) {
  if (n == 0) return;
  RadixSort<Exec, std::int32_t, O> sort(exec, n);
  parallel_for(exec, "heddle::sgd::shuffle", n, ShuffleKeys{seed, sort.room()});
  sort.sort(exec, sort.room(), std::numeric_limits<std::int32_t>::max(), order);
  parallel_for(exec, "heddle::sgd::places", n, Invert<O>{order, place});
  exec.fence("heddle::sgd::shuffled");
}

/// Keys by which ratings are sorted: the wave, the row of blocks in it, the row inside the block.
template <Ordinal O, class Map>
struct WaveKeys {
  const O *row, *column;
  const O *row_place, *column_place;  ///< null: rows and columns keep their order
  Map map;
  std::int64_t block_rows, rows_of_blocks;
  std::int64_t* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const O i = row_place ? row_place[row[k]] : row[k];
    const O j = column_place ? column_place[column[k]] : column[k];
    const recipe::Point p = map(recipe::Point{i, j, 0});
    keys[k] = (p.column * rows_of_blocks + p.row) * block_rows + p.inner_row;
  }
};

/// Whether a sorted rating is the first of its block.
struct BeginsBlock {
  const std::int64_t* keys;
  std::int64_t block_rows;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const {
    return k == 0 || keys[k] / block_rows != keys[k - 1] / block_rows;
  }
};
struct WriteBlocks {
  BeginsBlock begins;
  const std::int64_t* before;  ///< number of blocks that begin before a rating
  std::int64_t blocks_in_wave, ratings;
  std::int64_t* first;
  std::int64_t* wave;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (!begins(k)) return;
    first[before[k]] = k;
    wave[before[k]] = begins.keys[k] / begins.block_rows / blocks_in_wave;
  }
};

/// The ratings in the order of an epoch, cut into blocks, and blocks into waves.
template <Scalar S, Ordinal O, MemorySpace Space>
struct Waves {
  Arena<Space> ratings = {}, blocks = {};
  typename Arena<Space>::template Array<O> row = {}, column = {};
  typename Arena<Space>::template Array<S> value = {};
  /// First rating of each block, then the number of ratings.
  typename Arena<Space>::template Array<std::int64_t> block_begin = {};
  /// First block of each wave that has blocks, then the number of blocks.
  std::vector<std::int64_t> wave_begin = {0};
};

template <ExecutionSpace Exec, Scalar S, Ordinal O, MemorySpace Space>
Waves<S, O, Space> room_for(const Exec& exec, std::int64_t count) {
  Waves<S, O, Space> waves;
  waves.ratings = Arena<Space>(exec, "heddle::sgd::ratings", arena_array(waves.row, count),
                               arena_array(waves.column, count), arena_array(waves.value, count));
  return waves;
}

/// The ratings in the given order, all in one wave. Waits for `exec`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, MemorySpace Space>
Waves<S, O, Space> all_at_once(const Exec& exec, const Ratings<S, O, Space>& given) {
  Waves<S, O, Space> waves = room_for<Exec, S, O, Space>(exec, given.count());
  copy(exec, "heddle::sgd::rows", waves.row.data(), given.count(), given.row.data());
  copy(exec, "heddle::sgd::columns", waves.column.data(), given.count(), given.column.data());
  copy(exec, "heddle::sgd::values", waves.value.data(), given.count(), given.value.data());
  if (given.count() > 0) waves.wave_begin.push_back(given.count());
  exec.fence("heddle::sgd::inspected");
  return waves;
}

/// The ratings sorted by wave, block and row, and in the given order inside a row. Sorts are
/// stable, so the result is the same every time. Waits for `exec`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, MemorySpace Space>
Waves<S, O, Space> by_waves(const Exec& exec, const Ratings<S, O, Space>& given,
                            std::int64_t block_rows, std::int64_t block_columns,
                            std::uint64_t seed) {
  const std::int64_t n = given.count();
  Waves<S, O, Space> waves = room_for<Exec, S, O, Space>(exec, n);
  if (n == 0) return waves;
  const auto size = static_cast<std::size_t>(n), rows = static_cast<std::size_t>(given.rows),
             columns = static_cast<std::size_t>(given.columns), most = std::max(rows, columns);
  O *row_place = nullptr, *column_place = nullptr, *shuffled = nullptr;
  std::int64_t *order = nullptr, *before = nullptr;
  const Arena<Space> work(exec, "heddle::sgd::work", arena_array(row_place, rows),
                          arena_array(column_place, columns), arena_array(shuffled, most),
                          arena_array(order, size), arena_array(before, size + 1));
  if (seed != 0) {
    shuffle(exec, given.rows, seed, shuffled, row_place);
    shuffle(exec, given.columns, ~seed, shuffled, column_place);
  }
  const auto map = wave_of(given.rows, given.columns, block_rows, block_columns);
  const recipe::Extents extents = map(recipe::Extents{given.rows, 0, given.columns});
  RadixSort<Exec, std::int64_t, std::int64_t> sort(exec, n);
  parallel_for(exec, "heddle::sgd::keys", n,
               WaveKeys<O, decltype(map)>{
                   given.row.data(), given.column.data(), seed != 0 ? row_place : nullptr,
                   seed != 0 ? column_place : nullptr, map, block_rows, extents.rows, sort.room()});
  sort.sort(exec, sort.room(), extents.columns * extents.rows * block_rows - 1, order);
  gather(exec, "heddle::sgd::rows", waves.row.data(), n, given.row.data(), order);
  gather(exec, "heddle::sgd::columns", waves.column.data(), n, given.column.data(), order);
  gather(exec, "heddle::sgd::values", waves.value.data(), n, given.value.data(), order);

  const BeginsBlock begins{sort.sorted(), block_rows};
  const std::int64_t blocks =
      running_sum_and_total(exec, "heddle::sgd::count_blocks", before, n, begins);
  waves.blocks =
      Arena<Space>(exec, "heddle::sgd::blocks", arena_array(waves.block_begin, blocks + 1));
  std::int64_t* wave = nullptr;
  const Arena<Space> of(exec, "heddle::sgd::waves", arena_array(wave, blocks));
  parallel_for(exec, "heddle::sgd::write_blocks", n,
               WriteBlocks{begins, before, extents.rows, n, waves.block_begin.data(), wave});
  fill(exec, "heddle::sgd::end", waves.block_begin.data() + blocks, 1, n);
  const auto on_host = ordered::copied_to_host(exec, "heddle::sgd::inspected", wave, blocks);
  for (std::size_t b = 1; b < on_host.size(); ++b) {
    if (on_host[b] != on_host[b - 1]) waves.wave_begin.push_back(static_cast<std::int64_t>(b));
  }
  waves.wave_begin.push_back(blocks);
  return waves;
}

}  // namespace heddle::detail::sgd
