// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../backends/algorithms/lowest_where.hpp"
#include "../backends/atomics.hpp"
#include "rearrange.hpp"

/// Parts of a matrix. Each function checks A (Error, naming row and entry), allocates, and waits
/// for `exec`. The columns of each row of the result ascend; repeated entries stay separate. New
/// values of A need one pass.
namespace heddle {

/// The entries on one side of the diagonal, with or without it, or the diagonal alone.
enum class MatrixPart { lower, strictly_lower, diagonal, strictly_upper, upper };

namespace detail {

/// Keeps the diagonals from `lowest` to `highest`, counted upwards from the main one.
struct KeepPart {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t, std::int64_t row,
                                              std::int64_t column) const {
    return column - row >= lowest && column - row <= highest;
  }
};

inline KeepPart keep_part(MatrixPart part) {
  switch (part) {
    case MatrixPart::lower: return {.highest = 0};
    case MatrixPart::strictly_lower: return {.highest = -1};
    case MatrixPart::diagonal: return {.lowest = 0, .highest = 0};
    case MatrixPart::strictly_upper: return {.lowest = 1};
    case MatrixPart::upper: return {.lowest = 0};
  }
  return {};
}

template <Scalar S>
struct KeepLarge {
  const S* values;
  heddle::RealOf<S> threshold;
  bool keep_diagonal;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t k, std::int64_t row,
                                              std::int64_t column) const {
    const bool small = Kokkos::abs(values[k]) <= threshold;  // false for NaN
    return !small || (keep_diagonal && row == column);
  }
};

/// Maps rows and columns to new numbers; -1: left out.
template <Ordinal O>
struct MoveTo {
  const O* row_to;
  const O* column_to;
  O left_out;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    const O i = row_to[row], j = column_to[column];
    const bool kept = i >= 0 && j >= 0;
    row = kept ? i : left_out;
    column = kept ? j : O(0);
  }
};

/// to[list[i]] = i; if a number is listed twice, the last place wins.
template <Ordinal O, class List>
struct Invert {
  O* to;
  List list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    backends::atomic_max(&to[list(i)], static_cast<O>(i));
  }
};

template <class List>
struct IsOutOfRange {
  List list;
  std::int64_t size;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    const auto number = static_cast<std::int64_t>(list(i));
    return number < 0 || number >= size;
  }
};

/// Whether the number in place i of a list, which Invert inverted, is repeated later.
template <Ordinal O, class List>
struct IsRepeatedLater {
  const O* to;
  List list;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(to[list(i)]) != i;
  }
};

/// Writes the place of each of `size` numbers in the list to `to`, or -1 if it is not listed.
/// Throws Error if one is out of range or listed twice.
template <ExecutionSpace Exec, Ordinal O, class List>
void invert_list(const Exec& exec, O* to, O size, const List& list, const char* what) {
  const auto count = static_cast<std::int64_t>(list.extent(0));
  const auto fail = [&](std::int64_t place, const std::string& problem) {
    throw Error("entry " + std::to_string(place) + " of the list of " + what + " " + problem,
                std::string("list each of the ") + std::to_string(size) + " " + what +
                    " once or not at all, counted from 0");
  };
  std::int64_t first = lowest_where(exec, "heddle::matrix::check_list", count,
                                    IsOutOfRange<List>{list, static_cast<std::int64_t>(size)});
  if (first < count) fail(first, "is out of range");
  fill(exec, "heddle::matrix::clear_list", to, static_cast<std::int64_t>(size), O(-1));
  parallel_for(exec, "heddle::matrix::invert_list", count, Invert<O, List>{to, list});
  first =
      lowest_where(exec, "heddle::matrix::check_once", count, IsRepeatedLater<O, List>{to, list});
  if (first < count) fail(first, "is listed again later");
}

}  // namespace detail

/// The part of A on one side of the diagonal, in the shape of A.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> part_of(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                    MatrixPart part) {
  return detail::derive_kept(exec, A, {}, detail::keep_part(part));
}

/// A without the entries whose magnitude is at most `threshold`; 0 removes zeros. NaN stays; with
/// `keep_diagonal` so does the diagonal. New values are set for the entries that were kept. Throws
/// Error if the threshold is negative or NaN.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> drop_small(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                       std::type_identity_t<RealOf<S>> threshold = 0,
                                       bool keep_diagonal = false) {
  if (!(threshold >= 0)) {
    throw Error("the threshold of drop_small is " + std::to_string(threshold),
                "give a magnitude: 0, which removes zeros, or more");
  }
  return detail::derive_kept(exec, A, {},
                             detail::KeepLarge<S>{A.values().data(), threshold, keep_diagonal});
}

/// The submatrix whose entry (i, j) is the entry of A at (rows(i), columns(j)). The lists are Views
/// of rank 1 that `exec` can access. Throws Error if one names a row or column twice, or one that A
/// does not have.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Rows,
          class Columns>
  requires(Kokkos::is_view_v<Rows> && Kokkos::is_view_v<Columns>)
DerivedCsr<Exec, S, O, Off> submatrix(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                      const Rows& rows, const Columns& columns) {
  const auto count = static_cast<O>(rows.extent(0));
  O *row_to = nullptr, *column_to = nullptr;
  const Arena<typename Exec::memory_space> work(exec, "heddle::matrix::lists",
                                                arena_array(row_to, A.rows()),
                                                arena_array(column_to, A.columns()));
  detail::invert_list(exec, row_to, A.rows(), rows, "rows");
  detail::invert_list(exec, column_to, A.columns(), columns, "columns");
  return detail::derive_from(exec, A, count, static_cast<O>(columns.extent(0)), {},
                             detail::MoveTo<O>{row_to, column_to, count});
}

/// A with its rows and columns in another order: entry (i, j) is the entry of A at (rows(i),
/// columns(j)). Throws Error if a list is not a permutation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Rows,
          class Columns>
  requires(Kokkos::is_view_v<Rows> && Kokkos::is_view_v<Columns>)
DerivedCsr<Exec, S, O, Off> permute(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                    const Rows& rows, const Columns& columns) {
  const auto check = [](std::size_t listed, O size, const char* what) {
    if (listed == static_cast<std::size_t>(size)) return;
    throw Error("the permutation has " + std::to_string(listed) + " " + what + ", and A has " +
                    std::to_string(size),
                std::string("list each of its ") + what + " once");
  };
  check(rows.extent(0), A.rows(), "rows");
  check(columns.extent(0), A.columns(), "columns");
  return submatrix(exec, A, rows, columns);
}

/// P A P': rows and columns of A in one order.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Order>
  requires(Kokkos::is_view_v<Order>)
DerivedCsr<Exec, S, O, Off> permute(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                    const Order& order) {
  return permute(exec, A, order, order);
}

}  // namespace heddle
