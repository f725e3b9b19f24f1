// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../../core/search.hpp"
#include "features.hpp"
#include "pattern.hpp"
#include "recipe/compact.hpp"
#include "recipe/repeats.hpp"

namespace heddle {

namespace detail {

struct BlockSums {
  std::int64_t entries = 0;
  std::int64_t blocks = 0;
  std::int64_t descents = 0;
};

/// A sample of block rows at equal distances, and the number of parts of each row. An item of a
/// launch is a part of a row, and each entry costs a search in all rows of its block above it.
struct BlockSample {
  static constexpr std::int64_t most_block_rows = 4096;
  static constexpr std::int64_t most_rows = 32768;
  static constexpr std::int64_t most_entries = std::int64_t{1} << 21;  ///< approximate
  /// Searches of a part of the longest row, one after the other. Parts are longer if there would be
  /// too many, for instance if most rows are empty.
  static constexpr std::int64_t part_searches = 256;
  static constexpr std::int64_t most_items = std::int64_t{1} << 19;

  std::int64_t block_rows;
  std::int64_t samples;
  int height;
  std::int64_t parts;  ///< for each row

  BlockSample(std::int64_t rows, std::int64_t nonzeros, int block_height, std::int64_t longest_row)
      : block_rows(ceil_div<std::int64_t>(rows, block_height)),
        samples(std::min({block_rows, most_block_rows, most_rows / block_height,
                          std::max<std::int64_t>(1, most_entries * block_rows / nonzeros)})),
        height(block_height),
        parts(
            std::clamp<std::int64_t>(ceil_div(longest_row * height, part_searches), 1,
                                     std::max<std::int64_t>(1, most_items / (samples * height)))) {}

  std::int64_t items() const { return samples * height * parts; }
  bool has_all() const { return samples == block_rows; }
};

/// Counts blocks in a part of a row of a sampled block row, an item a part: those blocks that
/// neither the entry before nor a row above has.
template <Ordinal O, Offset Off>
struct BlockSampleKernel {
  using value_type = BlockSums;

  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  BlockSample sample;
  int width;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.entries += other.entries;
    sums.blocks += other.blocks;
    sums.descents += other.descents;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& sums) const {
    const std::int64_t parts = sample.parts, height = sample.height;
    const std::int64_t sampled = item / parts, part = item % parts;
    const std::int64_t top = sampled / height * sample.block_rows / sample.samples * height;
    const std::int64_t row = top + sampled % height;
    if (row >= rows) return;
    const auto length = static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]);
    const Off begin = row_ptr[row] + static_cast<Off>(part * length / parts);
    const Off end = row_ptr[row] + static_cast<Off>((part + 1) * length / parts);
    std::int64_t last = begin > row_ptr[row] ? static_cast<std::int64_t>(col_idx[begin - 1]) / width
                                             : std::int64_t{-1};
    for (Off k = begin; k < end; ++k) {
      const auto block = static_cast<std::int64_t>(col_idx[k]) / width;
      sums.descents += block < last;
      const bool enters = block != last;
      last = block;
      if (!enters) continue;
      bool above = false;
      for (std::int64_t mate = top; mate < row && !above; ++mate) above = holds(mate, block);
      sums.blocks += !above;
    }
    sums.entries += static_cast<std::int64_t>(end - begin);
  }

 private:
  /// Whether a row, with ascending columns, has an entry in a block.
  KOKKOS_FUNCTION bool holds(std::int64_t row, std::int64_t block) const {
    const auto* const columns = col_idx + row_ptr[row];
    const Off count = row_ptr[row + 1] - row_ptr[row];
    const Off at = first_not_below(columns, count, block * width);
    return at < count && static_cast<std::int64_t>(columns[at]) / width == block;
  }
};

}  // namespace detail

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
std::int64_t estimated_blocks(const Exec& exec, const CsrPattern<O, Off, Space>& A, int height,
                              int width, std::int64_t longest_row) {
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  if (nonzeros == 0) return 0;
  const detail::BlockSample sample(A.rows(), nonzeros, height, longest_row);
  detail::BlockSums sums;
  Kokkos::parallel_reduce("heddle::features::blocks", range_policy(exec, sample.items()),
                          detail::BlockSampleKernel<O, Off>{A.row_ptr().data(), A.col_idx().data(),
                                                            A.rows(), sample, width},
                          sums);
  if (sums.descents > 0) {
    using namespace recipe;
    const auto map = tile_rows(height) | tile_columns(width);
    using Map = std::remove_const_t<decltype(map)>;
    return Compact<Exec, CsrPattern<O, Off, Space>, Map>(exec, A, map).keys();
  }
  if (sample.has_all()) return sums.blocks;
  const double each =
      sums.entries > 0 ? static_cast<double>(sums.blocks) / static_cast<double>(sums.entries) : 1;
  return std::llround(each * static_cast<double>(nonzeros));
}

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
Features features_of(const Exec& exec, const CsrPattern<O, Off, Space>& A, const RowFeatures& rows,
                     Check checked) {
  return Features(
      rows,
      [exec, A, rows, checked] {
        return checked == Check::columns ? pattern_features(exec, A, rows)
                                         : pattern_features(exec, A);
      },
      [exec, A, longest = rows.longest_row](int height, int width) {
        return estimated_blocks(exec, A, height, width, longest);
      });
}

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_promises(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                    const Promises& promises) {
  const auto broken = [](const char* promise, const std::string& problem, const Where& where,
                         const char* remedy) {
    return Error(std::string("promises.") + promise + " is broken: " + problem, where,
                 std::string(remedy) + ", or do not make the promise");
  };
  if (promises.in_range) {
    try {
      check_columns(exec, A);
    } catch (const Error& error) {
      throw broken("in_range", error.problem(), error.where(), "let columns be in range");
    }
  }
  const auto as_they_are = recipe::shift(0);
  using Map = std::remove_const_t<decltype(as_they_are)>;
  using Pattern = CsrPattern<O, Off, Space>;
  if (promises.sorted) {
    const recipe::Entries<Pattern, Map> entries(A, as_they_are);
    const std::int64_t entry =
        recipe::entry_order(exec, entries, static_cast<std::int64_t>(A.nonzeros())).disorder;
    if (entry != recipe::no_key) {
      const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr(),
                                                               "heddle::recipe::row_ptr");
      const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.col_idx(),
                                                               "heddle::recipe::col_idx");
      const auto k = static_cast<std::size_t>(entry);
      const std::int64_t row =
          first_row_from(row_ptr.data(), std::int64_t{A.rows()}, static_cast<Off>(k + 1)) - 1;
      throw broken("sorted",
                   "column " + std::to_string(columns(k)) + " follows column " +
                       std::to_string(columns(k - 1)),
                   Where{.row = row, .entry = entry}, "sort the columns of each row");
    }
  }
}

}  // namespace heddle

/// Definitions of the functions that pattern.hpp declares.
