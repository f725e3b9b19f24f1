// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/partition.hpp"
#include "../../core/search.hpp"
#include "marked_bits.hpp"
#include "row_features.hpp"

namespace heddle {

namespace detail {

struct PatternSums {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t descents = 0;
  std::int64_t narrow_slices = 0;
};

/// Item i sees the entries from i * chunk on, whatever rows they are in, so that long rows are
/// shared like any other entries. Of the items behind, each sees a slice of rows.
template <Ordinal O, Offset Off>
struct PatternKernel {
  using value_type = PatternSums;

  const Off* row_ptr;
  const O* col_idx;
  O rows;
  std::int64_t nonzeros;
  std::int64_t chunk;
  std::int64_t chunks;
  MarkedBits diagonals;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }

  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.lower = Kokkos::max(sums.lower, other.lower);
    sums.upper = Kokkos::max(sums.upper, other.upper);
    sums.descents += other.descents;
    sums.narrow_slices += other.narrow_slices;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& sums) const {
    if (item >= chunks) {
      sums.narrow_slices += span_of_slice(item - chunks) < PatternFeatures::narrow_span;
      return;
    }
    const std::int64_t begin = item * chunk;
    const std::int64_t end = Kokkos::min(nonzeros, begin + chunk);
    O row = row_of(begin);
    for (std::int64_t k = begin; k < end; ++k) {
      if (offset(row + 1) <= k) {
        // Mostly the next row; a search where empty rows come between, as there may be millions.
        row = offset(row + 2) > k ? row + 1 : row_of(k);
      }
      look_at(row, k, item / 32, sums);
    }
  }

  /// How far the last of its columns lies from the first, if rows are sorted.
  KOKKOS_FUNCTION std::int64_t span_of_slice(std::int64_t slice) const {
    const std::int64_t first = slice * RowFeatures::slice_rows;
    const std::int64_t last = Kokkos::min<std::int64_t>(rows, first + RowFeatures::slice_rows);
    O lowest = Kokkos::Experimental::finite_max_v<O>, highest = 0;
    for (std::int64_t row = first; row < last; ++row) {
      if (offset(row) == offset(row + 1)) continue;
      lowest = Kokkos::min(lowest, col_idx[offset(row)]);
      highest = Kokkos::max(highest, col_idx[offset(row + 1) - 1]);
    }
    return std::int64_t{highest} - lowest;
  }

  KOKKOS_FUNCTION void look_at(O row, std::int64_t k, std::int64_t who, value_type& sums) const {
    const std::int64_t begin = offset(row);
    const O column = col_idx[k];
    const std::int64_t i = row, j = column;
    sums.lower = Kokkos::max(sums.lower, i - j);
    sums.upper = Kokkos::max(sums.upper, j - i);
    if (!continues_diagonal(row, k - begin, j)) {
      const std::int64_t diagonal = j - i + rows - 1;
      diagonals.mark(diagonal / 32, static_cast<int>(diagonal % 32), who);
    }
    const O previous = k == begin ? -1 : col_idx[k - 1];
    sums.descents += column < previous;
  }

  /// Whether the entry at the same place of the row before lies on the same diagonal, which is then
  /// marked already. It spares the banded matrix all threads meeting at a few words.
  KOKKOS_FUNCTION bool continues_diagonal(O row, std::int64_t place, std::int64_t column) const {
    if (row == 0) return false;
    const std::int64_t above = offset(row - 1) + place;
    return above < offset(row) && std::int64_t{col_idx[above]} + 1 == column;
  }

  KOKKOS_FUNCTION std::int64_t offset(std::int64_t row) const {
    return static_cast<std::int64_t>(row_ptr[row]);
  }

  KOKKOS_FUNCTION O row_of(std::int64_t k) const {
    return first_row_from(row_ptr, rows, static_cast<Off>(k + 1)) - 1;
  }
};

}  // namespace detail

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternFeatures pattern_features(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                                 const RowFeatures& rows) {
  PatternFeatures features{rows};
  if (features.nonzeros == 0) return features;

  const std::int64_t words = (features.rows + features.columns - 1 + 31) / 32;
  const std::int64_t copies = detail::copies_of_bits<Exec>(words, features.nonzeros);
  Arena<Space> work(exec, "heddle::features::diagonals",
                    arena_bytes<std::uint32_t>(words * copies));
  const detail::MarkedBits diagonals{
      work.template take<std::uint32_t>(static_cast<std::size_t>(words * copies)).data(), words,
      copies};
  detail::fill(exec, "heddle::features::clear", diagonals.first, words * copies, 0);
  // A GPU's many threads read whole cache sectors of 8 columns; a CPU's few search less often.
  constexpr std::int64_t chunk = backends::runs_on_host<Exec> ? 512 : 8;
  const std::int64_t chunks = ceil_div(features.nonzeros, chunk);
  const std::int64_t slices = ceil_div(features.rows, std::int64_t{RowFeatures::slice_rows});
  detail::PatternSums sums;
  Kokkos::parallel_reduce(
      "heddle::features::pattern", range_policy(exec, chunks + slices),
      detail::PatternKernel<O, Off>{A.row_ptr().data(), A.col_idx().data(), A.rows(),
                                    features.nonzeros, chunk, chunks, diagonals},
      sums);

  features.lower_bandwidth = sums.lower;
  features.upper_bandwidth = sums.upper;
  features.diagonals =
      detail::unite_and_count(exec, "heddle::features::count_diagonals", diagonals);
  features.sorted = sums.descents == 0;
  features.narrow_slices = features.sorted ? sums.narrow_slices : -1;
  return features;
}

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternFeatures pattern_features(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  return pattern_features(exec, A, row_features(exec, A, Check::columns));
}

}  // namespace heddle
