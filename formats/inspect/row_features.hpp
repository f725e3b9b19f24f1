// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "../../backends/lanes.hpp"
#include "../../core/error.hpp"
#include "pattern.hpp"

namespace heddle {

namespace detail {

struct RowSums {
  std::int64_t shortest = nowhere;
  std::int64_t longest = 0;
  std::int64_t empty = 0;
  /// Exact below 2^53, which only matrices of a very long row and 1e9 entries leave.
  double squares = 0;
  /// Of groups of 2, 4, ... rows, those of a slice among them.
  static constexpr int group_sizes = 7;
  static constexpr int of_slice = 4;
  static_assert(2 << of_slice == RowFeatures::slice_rows);
  static_assert(1 << group_sizes == RowFeatures::widest_group);
  std::int64_t group_slots[group_sizes] = {};
  /// The first place in row_ptr that contradicts the one before it or the ends.
  std::int64_t bad_offset = nowhere;
  /// The first entry whose column is out of range.
  std::int64_t bad_entry = nowhere;
};

/// Item i sees row i and `share` entries: `stride` apart, from i * first on.
template <Ordinal O, Offset Off>
struct RowFeaturesKernel {
  using value_type = RowSums;

  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t nonzeros;
  std::int64_t checked_entries;
  int widest_group;  ///< up to which they are counted
  std::int64_t share;
  std::int64_t first;
  std::int64_t stride;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }

  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.shortest = Kokkos::min(sums.shortest, other.shortest);
    sums.longest = Kokkos::max(sums.longest, other.longest);
    sums.empty += other.empty;
    sums.squares += other.squares;
    for (int i = 0; i < RowSums::group_sizes; ++i) sums.group_slots[i] += other.group_slots[i];
    sums.bad_offset = Kokkos::min(sums.bad_offset, other.bad_offset);
    sums.bad_entry = Kokkos::min(sums.bad_entry, other.bad_entry);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sums) const {
    if (i < rows) look_at_row(i, sums);
    std::int64_t k = i * first;
    for (std::int64_t left = share; left > 0 && k < checked_entries; --left, k += stride) {
      const auto column = static_cast<std::uint64_t>(col_idx[k]);  // a negative one becomes huge
      if (column >= static_cast<std::uint64_t>(columns)) {
        sums.bad_entry = Kokkos::min(sums.bad_entry, k);
      }
    }
  }

  KOKKOS_FUNCTION void look_at_row(std::int64_t i, value_type& sums) const {
    const Off begin = row_ptr[i], end = row_ptr[i + 1];
    const bool starts_wrong = i == 0 && begin != 0;
    const bool ends_wrong = i + 1 == rows && end != static_cast<Off>(nonzeros);
    if (starts_wrong) {
      sums.bad_offset = 0;
    } else if (end < begin || ends_wrong) {
      sums.bad_offset = Kokkos::min(sums.bad_offset, i + 1);
    }
    const std::int64_t length = end < begin ? 0 : static_cast<std::int64_t>(end - begin);
    sums.shortest = Kokkos::min(sums.shortest, length);
    sums.longest = Kokkos::max(sums.longest, length);
    sums.empty += length == 0;
    sums.squares += static_cast<double>(length) * static_cast<double>(length);
    if (i % widest_group == 0) look_at_group(i, sums);
  }

  /// The slots of the groups that a widest one is made of. No row counts as longer than the matrix,
  /// whatever the row pointer says, so that no sum overflows.
  KOKKOS_FUNCTION void look_at_group(std::int64_t first, value_type& sums) const {
    std::int64_t longest[RowSums::group_sizes] = {};
    for (int i = 0; i < widest_group; ++i) {
      std::int64_t length = 0;
      if (first + i < rows) {
        const Off begin = row_ptr[first + i], stop = row_ptr[first + i + 1];
        if (begin < stop) length = Kokkos::min(static_cast<std::int64_t>(stop - begin), nonzeros);
      }
      for (int size = 0; size < RowSums::group_sizes; ++size) {
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

/// One launch and one readback; `rows` and `entries` say how many of each to look at.
template <class Exec, class O, class Off>
RowSums row_sums(const Exec& exec, const Off* row_ptr, const O* col_idx, std::int64_t rows,
                 std::int64_t columns, std::int64_t nonzeros, std::int64_t entries) {
  constexpr std::int64_t most_entries_an_item = 8;
  const std::int64_t items = std::max(rows, ceil_div(entries, most_entries_an_item));
  RowSums sums;
  if (items == 0) return sums;
  const std::int64_t share = ceil_div(entries, items);
  constexpr bool in_turns = !backends::runs_on_host<Exec>;
  constexpr int widest_group = backends::max_subwarp_width<Exec> > RowFeatures::slice_rows
                                   ? RowFeatures::widest_group
                                   : RowFeatures::slice_rows;
  const std::int64_t first = in_turns ? 1 : share, stride = in_turns ? items : 1;
  Kokkos::parallel_reduce("heddle::features::rows", range_policy(exec, items),
                          RowFeaturesKernel<O, Off>{row_ptr, col_idx, rows, columns, nonzeros,
                                                    entries, widest_group, share, first, stride},
                          sums);
  return sums;
}

template <class Matrix>
[[noreturn]] void throw_bad_offset(const Matrix& A, std::int64_t place) {
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr());
  const auto p = static_cast<std::size_t>(place);
  const std::string is = "row_ptr(" + std::to_string(place) + ") is " + std::to_string(row_ptr(p));
  const std::string remedy = "let row_ptr rise from 0 to the number of entries";
  if (place == 0) throw Error(is + ", not 0", Where{.row = 0}, remedy);
  const bool falls = row_ptr(p) < row_ptr(p - 1);
  throw Error(is + (falls ? ", less than " + std::to_string(row_ptr(p - 1)) + " before it"
                          : ", but there are " + std::to_string(A.nonzeros()) + " entries"),
              Where{.row = place - 1}, remedy);
}

template <class Matrix>
[[noreturn]] void throw_bad_column(const Matrix& A, std::int64_t entry) {
  using Off = typename Matrix::offset_type;
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr());
  const auto col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.col_idx());
  const Off* first = row_ptr.data();
  const Off* last = first + row_ptr.extent(0);
  const auto row = std::upper_bound(first, last, static_cast<Off>(entry)) - first - 1;
  throw Error("column " + std::to_string(col_idx(static_cast<std::size_t>(entry))) +
                  " of a matrix with " + std::to_string(A.columns()) + " columns",
              Where{.row = row, .entry = entry},
              "columns count from 0 and end before " + std::to_string(A.columns()));
}

}  // namespace detail

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
RowFeatures row_features(const Exec& exec, const CsrPattern<O, Off, Space>& A, Check check) {
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible);
  RowFeatures features;
  features.rows = A.rows();
  features.columns = A.columns();
  features.nonzeros = static_cast<std::int64_t>(A.nonzeros());
  if (features.rows == 0) {
    if (features.nonzeros == 0) return features;
    throw Error("there are " + std::to_string(features.nonzeros) + " entries but no rows",
                "give row_ptr of rows + 1 entries");
  }
  const detail::RowSums sums = detail::row_sums(exec, A.row_ptr().data(), A.col_idx().data(),
                                                features.rows, features.columns, features.nonzeros,
                                                check == Check::columns ? features.nonzeros : 0);
  if (sums.bad_offset != detail::nowhere) detail::throw_bad_offset(A, sums.bad_offset);
  if (sums.bad_entry != detail::nowhere) detail::throw_bad_column(A, sums.bad_entry);

  features.empty_rows = sums.empty;
  features.shortest_row = sums.shortest;
  features.longest_row = sums.longest;
  for (std::size_t i = 0; i < features.group_slots.size(); ++i) {
    features.group_slots[i] = sums.group_slots[i];
  }
  features.slice_slots = sums.group_slots[detail::RowSums::of_slice];
  for (std::size_t i = 0; i < features.wide_group_slots.size(); ++i) {
    features.wide_group_slots[i] = sums.group_slots[detail::RowSums::of_slice + 1 + i];
  }
  // One subtraction of exact numbers, then one division: no cancellation of rounded means.
  const auto rows = static_cast<long double>(features.rows);
  const auto nonzeros = static_cast<long double>(features.nonzeros);
  features.row_variance = static_cast<double>(
      std::max(0.0L, rows * static_cast<long double>(sums.squares) - nonzeros * nonzeros) /
      (rows * rows));
  return features;
}

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_columns(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible);
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  const detail::RowSums sums = detail::row_sums(exec, A.row_ptr().data(), A.col_idx().data(), 0,
                                                A.columns(), nonzeros, nonzeros);
  if (sums.bad_entry != detail::nowhere) detail::throw_bad_column(A, sums.bad_entry);
}

}  // namespace heddle
