// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "../../backends/algorithms/marked_bits.hpp"
#include "../../backends/lanes.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/partition.hpp"
#include "../../core/search.hpp"
#include "check_csr.hpp"
#include "pattern.hpp"

namespace heddle {

namespace detail {

struct RowLengthSums {
  std::int64_t shortest = nowhere;
  std::int64_t longest = 0;
  std::int64_t empty = 0;
  /// Exact below 2^53, which only matrices with a very long row and 1e9 entries exceed.
  double squares = 0;
  /// Number of group sizes: groups of 2, 4, ... rows, one of which is a slice.
  static constexpr int group_sizes = 7;
  static constexpr int of_slice = 4;
  static_assert(2 << of_slice == RowFeatures::slice_rows);
  static_assert(1 << group_sizes == RowFeatures::widest_group);
  std::int64_t group_slots[group_sizes] = {};
  CsrFaults faults;
};

struct JoinsRowLengths {
  using value_type = RowLengthSums;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }

  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.shortest = Kokkos::min(sums.shortest, other.shortest);
    sums.longest = Kokkos::max(sums.longest, other.longest);
    sums.empty += other.empty;
    sums.squares += other.squares;
    for (int i = 0; i < RowLengthSums::group_sizes; ++i)
      sums.group_slots[i] += other.group_slots[i];
    sums.faults.join(other.faults);
  }
};

/// Item i checks row i and `share` entries: every `stride`-th from i on.
template <Ordinal O, Offset Off>
struct RowFeaturesKernel : JoinsRowLengths {
  CsrCheck<O, Off> check;
  std::int64_t checked_entries;
  int widest_group;  ///< largest group size that is counted
  std::int64_t share;
  std::int64_t stride;

  RowFeaturesKernel(const CsrCheck<O, Off>& of, std::int64_t checked, int widest,
                    std::int64_t entries_each, std::int64_t items)
      : check(of),
        checked_entries(checked),
        widest_group(widest),
        share(entries_each),
        stride(items) {}

  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sums) const {
    if (i < check.rows) look_at_row(i, sums);
    check.look_at_entries(i, share, stride, checked_entries, sums.faults);
  }

  KOKKOS_FUNCTION void look_at_row(std::int64_t i, value_type& sums) const {
    check.look_at_row(i, sums.faults);
    const Off begin = check.row_ptr[i], end = check.row_ptr[i + 1];
    const std::int64_t length = end < begin ? 0 : static_cast<std::int64_t>(end - begin);
    sums.shortest = Kokkos::min(sums.shortest, length);
    sums.longest = Kokkos::max(sums.longest, length);
    sums.empty += length == 0;
    sums.squares += static_cast<double>(length) * static_cast<double>(length);
    if (i % widest_group == 0) look_at_group(i, sums);
  }

  /// Adds the slots of the groups within a widest one. No row counts as longer than the matrix,
  /// whatever the row pointer says, so that no sum overflows.
  KOKKOS_FUNCTION void look_at_group(std::int64_t first, value_type& sums) const {
    std::int64_t longest[RowLengthSums::group_sizes] = {};
    for (int i = 0; i < widest_group; ++i) {
      std::int64_t length = 0;
      if (first + i < check.rows) {
        const Off begin = check.row_ptr[first + i], stop = check.row_ptr[first + i + 1];
        if (begin < stop) {
          length = Kokkos::min(static_cast<std::int64_t>(stop - begin), check.nonzeros);
        }
      }
      for (int size = 0; size < RowLengthSums::group_sizes; ++size) {
        const int group = 2 << size;
        longest[size] = Kokkos::max(longest[size], length);
        if ((i + 1) % group == 0) {
          sums.group_slots[size] += group * longest[size];
          longest[size] = 0;
        }
      }
    }
  }
};

/// RowFeaturesKernel for a CPU, a group of RowFeatures::slice_rows rows an item, in registers: item
/// i also checks `share` entries from i * share on.
template <Ordinal O, Offset Off>
struct RowFeaturesOfSlice : JoinsRowLengths {
  static constexpr int rows_each = RowFeatures::slice_rows;

  CsrCheck<O, Off> check;
  std::int64_t checked_entries;
  std::int64_t share;

  RowFeaturesOfSlice(const CsrCheck<O, Off>& of, std::int64_t checked, std::int64_t entries_each)
      : check(of), checked_entries(checked), share(entries_each) {}

  void operator()(std::int64_t i, RowLengthSums& sums) const {
    const std::int64_t first = i * rows_each, last = Kokkos::min(check.rows, first + rows_each);
    if (first < last) look_at_rows(first, last, sums);
    const std::int64_t entry = i * share;
    check.look_at_entries(entry, Kokkos::min(entry + share, checked_entries), sums.faults);
  }

 private:
  void look_at_rows(std::int64_t first, std::int64_t last, RowLengthSums& sums) const {
    std::int64_t lengths[rows_each] = {};
    std::int64_t shortest = sums.shortest, longest = sums.longest, empty = 0;
    double squares = 0;
    CsrFaults faults;
    for (std::int64_t row = first; row < last; ++row) {
      check.look_at_row(row, faults);
      const Off begin = check.row_ptr[row], end = check.row_ptr[row + 1];
      const std::int64_t length = end < begin ? 0 : static_cast<std::int64_t>(end - begin);
      shortest = Kokkos::min(shortest, length);
      longest = Kokkos::max(longest, length);
      empty += length == 0;
      squares += static_cast<double>(length) * static_cast<double>(length);
      lengths[row - first] = Kokkos::min(length, check.nonzeros);  // so that no sum overflows
    }
    sums.shortest = shortest;
    sums.longest = longest;
    sums.empty += empty;
    sums.squares += squares;
    sums.faults.join(faults);
    for (int size = 0; (2 << size) <= rows_each; ++size) {
      const int groups = rows_each >> (size + 1);
      std::int64_t slots = 0;
      for (int g = 0; g < groups; ++g) {
        lengths[g] = Kokkos::max(lengths[2 * g], lengths[2 * g + 1]);
        slots += lengths[g];
      }
      sums.group_slots[size] += (2 << size) * slots;
    }
  }
};

/// Sums over all rows. The first `checked` entries are checked too. One launch and one readback.
template <class Exec, class Matrix>
RowLengthSums row_sums(const Exec& exec, const Matrix& A, std::int64_t checked) {
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  const CsrCheck<typename Matrix::ordinal_type, typename Matrix::offset_type> check{
      A.row_ptr().data(), A.col_idx().data(), A.rows(), A.columns(), nonzeros};
  RowLengthSums sums;
  if constexpr (backends::runs_on_host<Exec>) {
    using Kernel = RowFeaturesOfSlice<typename Matrix::ordinal_type, typename Matrix::offset_type>;
    constexpr std::int64_t most_entries_an_item = 8 * Kernel::rows_each;
    const std::int64_t items = std::max(ceil_div<std::int64_t>(A.rows(), Kernel::rows_each),
                                        ceil_div(checked, most_entries_an_item));
    Kokkos::parallel_reduce("heddle::features::rows", range_policy(exec, items),
                            Kernel(check, checked, ceil_div(checked, items)), sums);
    return sums;
  } else {
    constexpr std::int64_t most_entries_an_item = 8;
    const std::int64_t items =
        std::max(std::int64_t{A.rows()}, ceil_div(checked, most_entries_an_item));
    constexpr int widest_group = backends::max_subwarp_width<Exec> > RowFeatures::slice_rows
                                     ? RowFeatures::widest_group
                                     : RowFeatures::slice_rows;
    using Kernel = RowFeaturesKernel<typename Matrix::ordinal_type, typename Matrix::offset_type>;
    Kokkos::parallel_reduce("heddle::features::rows", range_policy(exec, items),
                            Kernel(check, checked, widest_group, ceil_div(checked, items), items),
                            sums);
    return sums;
  }
}

}  // namespace detail

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
RowFeatures row_features(const Exec& exec, const CsrPattern<O, Off, Space>& A, Check check) {
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible);
  RowFeatures features;
  features.rows = A.rows();
  features.columns = A.columns();
  features.nonzeros = static_cast<std::int64_t>(A.nonzeros());
  detail::check_rows_exist(A);
  if (features.rows == 0) return features;
  const detail::RowLengthSums sums =
      detail::row_sums(exec, A, check == Check::columns ? features.nonzeros : 0);
  detail::throw_faults(A, sums.faults);

  features.empty_rows = sums.empty;
  features.shortest_row = sums.shortest;
  features.longest_row = sums.longest;
  for (std::size_t i = 0; i < features.group_slots.size(); ++i) {
    features.group_slots[i] = sums.group_slots[i];
  }
  features.slice_slots = sums.group_slots[detail::RowLengthSums::of_slice];
  for (std::size_t i = 0; i < features.wide_group_slots.size(); ++i) {
    features.wide_group_slots[i] = sums.group_slots[detail::RowLengthSums::of_slice + 1 + i];
  }
  // One subtraction of exact numbers, then one division: no cancellation of rounded means.
  const auto rows = static_cast<long double>(features.rows);
  const auto nonzeros = static_cast<long double>(features.nonzeros);
  features.row_variance = static_cast<double>(
      std::max(0.0L, rows * static_cast<long double>(sums.squares) - nonzeros * nonzeros) /
      (rows * rows));
  return features;
}

namespace detail {

struct PatternSums {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t descents = 0;
  std::int64_t narrow_slices = 0;
};

/// Item i < chunks reads the entries from i * chunk on, whatever rows they are in, so that long
/// rows are divided like any other entries. Each further item reads a slice of rows.
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
        // Usually the next row; a search if empty rows come between: there may be millions.
        row = offset(row + 2) > k ? row + 1 : row_of(k);
      }
      look_at(row, k, item / 32, sums);
    }
  }

  /// Distance between the lowest and the highest column of a slice, if rows are sorted.
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

  /// Whether the entry at the same place of the row before is on the same diagonal, which is then
  /// marked already. This avoids contention of all threads on a few words for a banded matrix.
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

/// PatternKernel for a CPU, an item for each slice of rows. A row whose columns are those of the
/// row above, moved by one, has the diagonals, bandwidths and order of that row: a comparison of
/// both, without a branch for each entry, is all that it takes.
template <Ordinal O, Offset Off>
struct PatternOfSlice {
  using value_type = PatternSums;
  /// Longest row; matrices with longer ones are divided by entries.
  static constexpr std::int64_t longest_row = 4096;

  PatternKernel<O, Off> of;

  void init(value_type& sums) const { of.init(sums); }
  void join(value_type& sums, const value_type& other) const { of.join(sums, other); }

  void operator()(std::int64_t slice, value_type& sums) const {
    const std::int64_t first = slice * RowFeatures::slice_rows;
    const std::int64_t last = Kokkos::min<std::int64_t>(of.rows, first + RowFeatures::slice_rows);
    value_type mine = sums;
    std::int64_t descents_above = 0;
    for (std::int64_t row = first; row < last; ++row) {
      if (row > first && is_row_above_moved(row)) {
        mine.descents += descents_above;
        continue;
      }
      const std::int64_t before = mine.descents;
      for (std::int64_t k = of.offset(row); k < of.offset(row + 1); ++k) {
        of.look_at(static_cast<O>(row), k, 0, mine);
      }
      descents_above = mine.descents - before;
    }
    mine.narrow_slices += of.span_of_slice(slice) < PatternFeatures::narrow_span;
    sums = mine;
  }

 private:
  bool is_row_above_moved(std::int64_t row) const {
    const std::int64_t above = of.offset(row - 1), begin = of.offset(row);
    const std::int64_t length = begin - above;
    if (of.offset(row + 1) - begin != length) return false;
    bool moved = true;
    for (std::int64_t k = above; k < begin; ++k) {
      moved &= of.col_idx[k] + 1 == of.col_idx[k + length];
    }
    return moved;
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
  const detail::PatternKernel<O, Off> kernel{
      A.row_ptr().data(), A.col_idx().data(), A.rows(), features.nonzeros, chunk, chunks,
      diagonals};
  bool by_slices = false;
  if constexpr (backends::runs_on_host<Exec>) {
    using OfSlice = detail::PatternOfSlice<O, Off>;
    by_slices = rows.longest_row <= OfSlice::longest_row;
    if (by_slices) {
      Kokkos::parallel_reduce("heddle::features::pattern", range_policy(exec, slices),
                              OfSlice{kernel}, sums);
    }
  }
  if (!by_slices) {
    Kokkos::parallel_reduce("heddle::features::pattern", range_policy(exec, chunks + slices),
                            kernel, sums);
  }

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
