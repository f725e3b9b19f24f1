// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "../../backends/lanes.hpp"
#include "check_csr.hpp"
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
  CsrFaults faults;
};

/// Item i sees row i and `share` entries: `stride` apart, from i * first on.
template <Ordinal O, Offset Off>
struct RowFeaturesKernel {
  using value_type = RowSums;

  CsrCheck<O, Off> check;
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
    sums.faults.join(other.faults);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sums) const {
    if (i < check.rows) look_at_row(i, sums);
    check.look_at_entries(i * first, share, stride, checked_entries, sums.faults);
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

  /// The slots of the groups that a widest one is made of. No row counts as longer than the matrix,
  /// whatever the row pointer says, so that no sum overflows.
  KOKKOS_FUNCTION void look_at_group(std::int64_t first, value_type& sums) const {
    std::int64_t longest[RowSums::group_sizes] = {};
    for (int i = 0; i < widest_group; ++i) {
      std::int64_t length = 0;
      if (first + i < check.rows) {
        const Off begin = check.row_ptr[first + i], stop = check.row_ptr[first + i + 1];
        if (begin < stop) {
          length = Kokkos::min(static_cast<std::int64_t>(stop - begin), check.nonzeros);
        }
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

/// One launch and one readback; of the entries the first `checked` are looked at.
template <class Exec, class Matrix>
RowSums row_sums(const Exec& exec, const Matrix& A, std::int64_t checked) {
  constexpr std::int64_t most_entries_an_item = 8;
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  const std::int64_t items =
      std::max(std::int64_t{A.rows()}, ceil_div(checked, most_entries_an_item));
  RowSums sums;
  const std::int64_t share = ceil_div(checked, items);
  constexpr bool in_turns = !backends::runs_on_host<Exec>;
  constexpr int widest_group = backends::max_subwarp_width<Exec> > RowFeatures::slice_rows
                                   ? RowFeatures::widest_group
                                   : RowFeatures::slice_rows;
  const std::int64_t first = in_turns ? 1 : share, stride = in_turns ? items : 1;
  using Kernel = RowFeaturesKernel<typename Matrix::ordinal_type, typename Matrix::offset_type>;
  Kokkos::parallel_reduce(
      "heddle::features::rows", range_policy(exec, items),
      Kernel{{A.row_ptr().data(), A.col_idx().data(), A.rows(), A.columns(), nonzeros},
             checked,
             widest_group,
             share,
             first,
             stride},
      sums);
  return sums;
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
  const detail::RowSums sums =
      detail::row_sums(exec, A, check == Check::columns ? features.nonzeros : 0);
  detail::throw_faults(A, sums.faults);

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

}  // namespace heddle
