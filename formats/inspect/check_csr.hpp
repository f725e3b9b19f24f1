// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "../../backends/lanes.hpp"
#include "../../core/error.hpp"
#include "pattern.hpp"

namespace heddle {

namespace detail {

/// The first faulty places, or nowhere.
struct CsrFaults {
  std::int64_t offset = nowhere;  ///< in row_ptr: contradicts the one before it or the ends
  std::int64_t entry = nowhere;   ///< its column is out of range

  KOKKOS_FUNCTION void join(const CsrFaults& other) {
    offset = Kokkos::min(offset, other.offset);
    entry = Kokkos::min(entry, other.entry);
  }
};

template <Ordinal O, Offset Off>
struct CsrCheck {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t nonzeros;

  KOKKOS_FUNCTION void look_at_row(std::int64_t i, CsrFaults& faults) const {
    const Off begin = row_ptr[i], end = row_ptr[i + 1];
    const bool starts_wrong = i == 0 && begin != 0;
    const bool ends_wrong = i + 1 == rows && end != static_cast<Off>(nonzeros);
    if (starts_wrong) {
      faults.offset = 0;
    } else if (end < begin || ends_wrong) {
      faults.offset = Kokkos::min(faults.offset, i + 1);
    }
  }

  KOKKOS_FUNCTION bool is_outside(std::int64_t k) const {
    using Unsigned = std::make_unsigned_t<O>;  // a negative column becomes huge
    return static_cast<Unsigned>(col_idx[k]) >= static_cast<Unsigned>(columns);
  }

  /// Checks every `stride`-th entry from `first` on: at most `count` of them, before `end`.
  KOKKOS_FUNCTION void look_at_entries(std::int64_t first, std::int64_t count, std::int64_t stride,
                                       std::int64_t end, CsrFaults& faults) const {
    for (std::int64_t k = first; count > 0 && k < end; --count, k += stride) {
      if (is_outside(k)) faults.entry = Kokkos::min(faults.entry, k);
    }
  }

  /// Checks entries [first, last). The first fault is located only if there is one, so that the
  /// first loop needs no branch.
  KOKKOS_FUNCTION void look_at_entries(std::int64_t first, std::int64_t last,
                                       CsrFaults& faults) const {
    bool outside = false;
    for (std::int64_t k = first; k < last; ++k) outside |= is_outside(k);
    if (outside) look_at_entries(first, last - first, 1, last, faults);
  }
};

/// Each item checks `rows_each` rows and `entries_each` entries. On a CPU those of an item are
/// consecutive; on a GPU those of consecutive items are, so that loads are coalesced.
template <Ordinal O, Offset Off, bool on_host>
struct CsrCheckKernel {
  using value_type = CsrFaults;

  CsrCheck<O, Off> check;
  std::int64_t rows_each;
  std::int64_t entries_each;
  std::int64_t items;

  KOKKOS_FUNCTION void init(value_type& faults) const { faults = value_type(); }
  KOKKOS_FUNCTION void join(value_type& faults, const value_type& other) const {
    faults.join(other);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& faults) const {
    if constexpr (on_host) {
      const std::int64_t row = item * rows_each, entry = item * entries_each;
      const std::int64_t last_row = Kokkos::min(row + rows_each, check.rows);
      for (std::int64_t i = row; i < last_row; ++i) check.look_at_row(i, faults);
      check.look_at_entries(entry, Kokkos::min(entry + entries_each, check.nonzeros), faults);
    } else {
      if (item < check.rows) check.look_at_row(item, faults);
      check.look_at_entries(item, entries_each, items, check.nonzeros, faults);
    }
  }
};

template <class Matrix>
[[noreturn]] void throw_bad_offset(const Matrix& A, std::int64_t place) {
  const auto row_ptr =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr(), "heddle::csr::row_ptr");
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
  const auto row_ptr =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr(), "heddle::csr::row_ptr");
  const auto col_idx =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.col_idx(), "heddle::csr::col_idx");
  const Off* first = row_ptr.data();
  const Off* last = first + row_ptr.extent(0);
  const auto row = std::upper_bound(first, last, static_cast<Off>(entry)) - first - 1;
  throw Error("column " + std::to_string(col_idx(static_cast<std::size_t>(entry))) +
                  " is outside the " + std::to_string(A.columns()) + " columns",
              Where{.row = row, .entry = entry},
              "give 0 or more, and less than " + std::to_string(A.columns()));
}

template <class Matrix>
void throw_faults(const Matrix& A, const CsrFaults& faults) {
  if (faults.offset != nowhere) throw_bad_offset(A, faults.offset);
  if (faults.entry != nowhere) throw_bad_column(A, faults.entry);
}

template <class Matrix>
void check_rows_exist(const Matrix& A) {
  if (A.rows() == 0 && A.nonzeros() > 0) {
    throw Error("there are " + std::to_string(A.nonzeros()) + " entries but no rows",
                "give row_ptr of rows + 1 entries");
  }
}

/// Finds the first faults of `rows` rows, and of all entries.
template <class Exec, class Matrix>
CsrFaults find_faults(const Exec& exec, const Matrix& A, std::int64_t rows) {
  constexpr bool on_host = backends::runs_on_host<Exec>;
  constexpr std::int64_t rows_an_item = on_host ? 1024 : 1, entries_an_item = on_host ? 1024 : 8;
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  const std::int64_t items =
      std::max(ceil_div(rows, rows_an_item), ceil_div(nonzeros, entries_an_item));
  CsrFaults faults;
  if (items == 0) return faults;
  using Kernel =
      CsrCheckKernel<typename Matrix::ordinal_type, typename Matrix::offset_type, on_host>;
  const Kernel kernel{{A.row_ptr().data(), A.col_idx().data(), rows, A.columns(), nonzeros},
                      ceil_div(rows, items),
                      ceil_div(nonzeros, items),
                      items};
  Kokkos::parallel_reduce("heddle::csr::check", range_policy(exec, items), kernel, faults);
  return faults;
}

}  // namespace detail

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_csr(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible);
  detail::check_rows_exist(A);
  detail::throw_faults(A, detail::find_faults(exec, A, A.rows()));
}

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_columns(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible);
  detail::throw_faults(A, detail::find_faults(exec, A, 0));
}

}  // namespace heddle
