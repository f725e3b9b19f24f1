// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../../core/matrix.hpp"
#include "../triangle/diagonal_value.hpp"
#include "part_of_rows.hpp"

namespace heddle::detail::gauss_seidel {

/// Omega over a diagonal; zero where that is no normal number, or the reciprocal is none.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION S relaxed_reciprocal(const S& omega, const S& diagonal) {
  const S scaled = omega * triangle::reciprocal_or_zero(diagonal);
  return triangle::reciprocal_or_zero(scaled) == S(0) ? S(0) : scaled;
}

/// One side of a matrix in the order in which a half sweep takes the rows: the row at place p is
/// entries row_ptr[p] to row_ptr[p + 1], of which the last is the diagonal. That one's column is
/// the row of the matrix, and its value relaxed_reciprocal.
template <Scalar S, Ordinal O, Offset Off>
struct RowsView {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const S* diagonal;  ///< of each place

  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t place) const {
    return col_idx[row_ptr[place + 1] - 1];
  }
  /// omega * difference / diagonal, given the relaxed reciprocal of the place.
  KOKKOS_FORCEINLINE_FUNCTION S quotient(const S& difference, const S& reciprocal, const S& omega,
                                         std::int64_t place) const {
    if (reciprocal == S(0)) return omega * (difference / diagonal[place]);
    return difference * reciprocal;
  }
};

template <class Matrix>
struct CountRow {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  Side<O> side;
  RowAtPlace<O> rows;

  KOKKOS_FUNCTION Off operator()(std::int64_t place) const {
    const O i = rows(place);
    Off entries = 1;  // the diagonal
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) entries += side.has(i, col_idx[k]) ? 1 : 0;
    return entries;
  }
};

template <class Matrix>
struct CopyRow {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  Side<O> side;
  RowAtPlace<O> rows;
  const Off* place_ptr;
  O* columns;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const O i = rows(place);
    Off to = place_ptr[place];
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (side.has(i, col_idx[k])) columns[to++] = col_idx[k];
    }
    columns[to] = i;
  }
};

template <class Matrix>
struct UpdateRow {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  const S* from;
  Side<O> side;
  const Off* place_ptr;
  const O* columns;
  S* values;
  S* diagonal;
  S omega;
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const Off end = place_ptr[place + 1] - 1;
    const O i = columns[end];
    Off to = place_ptr[place];
    S sum(0);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O j = col_idx[k];
      if (j == i) {
        sum += from[k];
      } else if (side.has(i, j)) {
        values[to++] = from[k];
      }
    }
    values[end] = relaxed_reciprocal(omega, sum);
    diagonal[place] = sum;
    if (bad_diagonal && triangle::is_bad_diagonal(sum)) {
      backends::atomic_max(bad_diagonal, i + std::int64_t{1});
    }
  }
};

/// The copy of a side that a RowsView looks at.
template <ExecutionSpace Exec, class Matrix>
class Rows {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using View = RowsView<S, O, Off>;

  Rows() = default;

  /// Two allocations, and waits for `exec`: the number of entries is read back. Rows keep the order
  /// of their entries. No values yet.
  Rows(const Exec& exec, const Matrix& A, const Side<O>& side, const RowAtPlace<O>& rows)
      : side_(side), rows_(A.rows()) {
    const auto n = static_cast<std::size_t>(rows_);
    row_ptr_memory_ = Arena<Space>(exec, "heddle::gauss_seidel::row_ptr", arena_bytes<Off>(n + 1));
    row_ptr_ = row_ptr_memory_.template take<Off>(n + 1);
    const Off* const row_ptr = A.row_ptr().data();
    const O* const col_idx = A.col_idx().data();
    const auto entries = static_cast<std::size_t>(
        running_sum_and_total<Off>(exec, "heddle::gauss_seidel::row_ptr", row_ptr_.data(), rows_,
                                   CountRow<Matrix>{row_ptr, col_idx, side, rows}));
    memory_ =
        Arena<Space>(exec, "heddle::gauss_seidel::rows", arena_bytes<O, S, S>(entries, entries, n));
    col_idx_ = memory_.template take<O>(entries);
    values_ = memory_.template take<S>(entries);
    diagonal_ = memory_.template take<S>(n);
    Kokkos::parallel_for(
        "heddle::gauss_seidel::pattern", range_policy(exec, rows_),
        CopyRow<Matrix>{row_ptr, col_idx, side, rows, row_ptr_.data(), col_idx_.data()});
  }

  /// The values of a matrix of the same pattern, in the order of `exec`: one launch, no allocation,
  /// no wait. A diagonal that turns out to be bad is reported by raising *bad_diagonal, if that is
  /// given, to the row + 1.
  void update_values(const Exec& exec, const Matrix& A, heddle::RealOf<S> omega,
                     std::int64_t* bad_diagonal) {
    Kokkos::parallel_for(
        "heddle::gauss_seidel::values", range_policy(exec, rows_),
        UpdateRow<Matrix>{A.row_ptr().data(), A.col_idx().data(), A.values().data(), side_,
                          row_ptr_.data(), col_idx_.data(), values_.data(), diagonal_.data(),
                          S(omega), bad_diagonal});
  }

  std::int64_t places() const { return rows_; }
  std::int64_t entries() const { return static_cast<std::int64_t>(values_.extent(0)) - rows_; }
  View view() const { return {row_ptr_.data(), col_idx_.data(), values_.data(), diagonal_.data()}; }
  std::size_t bytes() const { return row_ptr_memory_.bytes() + memory_.bytes(); }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  Side<O> side_{};
  std::int64_t rows_ = 0;
  Arena<Space> row_ptr_memory_, memory_;
  Array<Off> row_ptr_;
  Array<O> col_idx_;
  Array<S> values_, diagonal_;
};

}  // namespace heddle::detail::gauss_seidel
