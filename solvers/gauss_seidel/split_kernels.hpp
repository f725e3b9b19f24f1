// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../triangle/bad_row.hpp"
#include "../triangle/diagonal_value.hpp"
#include "../triangle/triangle.hpp"
#include "options.hpp"

namespace heddle::detail::gauss_seidel {

/// A part of a matrix: one triangle without the diagonal, and the diagonal times a number; or
/// without the diagonal, if that is zero.
template <class Real>
struct Part {
  Triangle triangle;
  Real diagonal;

  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t row, std::int64_t column) const {
    if (row == column) return diagonal != Real(0);
    return triangle == Triangle::lower ? column < row : column > row;
  }
};

template <class Matrix>
using PartOf = Part<heddle::RealOf<typename Matrix::scalar_type>>;

/// How many entries of a row belong to the part.
template <class Matrix>
struct CountEntries {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  PartOf<Matrix> part;

  KOKKOS_FUNCTION Off operator()(std::int64_t row) const {
    Off entries = 0;
    for (Off e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
      if (part.has(row, static_cast<std::int64_t>(col_idx[e]))) ++entries;
    }
    return entries;
  }
};

/// Copies them, in the order they are in; with col_idx_to null their values alone, and of a matrix
/// with another pattern no more than the row has room for.
template <class Matrix>
struct FillEntries {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const Off* row_ptr_to;
  O* col_idx_to;
  S* values_to;
  PartOf<Matrix> part;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    Off to = row_ptr_to[row];
    const Off end = row_ptr_to[row + 1];
    for (Off e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
      const auto column = static_cast<std::int64_t>(col_idx[e]);
      if (!part.has(row, column)) continue;
      if (to == end) return;
      if (col_idx_to) col_idx_to[to] = col_idx[e];
      values_to[to] = column == row ? S(part.diagonal) * values[e] : values[e];
      ++to;
    }
  }
};

/// Marks the lowest row whose diagonal is bad.
template <class Matrix>
struct FindBadDiagonal {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    S sum(0);
    for (Off e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
      if (static_cast<std::int64_t>(col_idx[e]) == row) sum += values[e];
    }
    if (triangle::is_bad_diagonal(sum)) triangle::mark_bad_row(bad_diagonal, row);
  }
};

/// A part of A with arrays of its own. The pattern of A must still be there when values are taken.
template <ExecutionSpace Exec, class Matrix>
class PartMatrix {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using Copy = CsrMatrix<S, O, Off, Space>;

  /// Allocates, and waits for `exec`: the number of entries is read back.
  PartMatrix(const Exec& exec, const Matrix& A, const PartOf<Matrix>& part)
      : part_(part), rows_(A.rows()) {
    const auto rows = static_cast<std::size_t>(A.rows());
    row_ptr_arena_ =
        Arena<Space>(exec, "heddle::gauss_seidel::row_ptr", arena_bytes<Off>(rows + 1));
    row_ptr_ = row_ptr_arena_.template take<Off>(rows + 1);
    const auto entries = static_cast<std::size_t>(running_sum_and_total<Off>(
        exec, "heddle::gauss_seidel::row_ptr", row_ptr_.data(), A.rows(),
        CountEntries<Matrix>{A.row_ptr().data(), A.col_idx().data(), part}));
    arena_ =
        Arena<Space>(exec, "heddle::gauss_seidel::entries", arena_bytes<O, S>(entries, entries));
    col_idx_ = arena_.template take<O>(entries);
    values_ = arena_.template take<S>(entries);
    fill(exec, A, col_idx_.data());
  }

  void update_values(const Exec& exec, const Matrix& A) { fill(exec, A, nullptr); }
  Copy matrix() const {
    return Copy(static_cast<O>(rows_), static_cast<O>(rows_), row_ptr_, col_idx_, values_);
  }
  std::size_t bytes() const { return row_ptr_arena_.bytes() + arena_.bytes(); }

 private:
  void fill(const Exec& exec, const Matrix& A, O* col_idx_to) {
    Kokkos::parallel_for(
        "heddle::gauss_seidel::fill", range_policy(exec, A.rows()),
        FillEntries<Matrix>{A.row_ptr().data(), A.col_idx().data(), A.values().data(),
                            row_ptr_.data(), col_idx_to, values_.data(), part_});
  }

  PartOf<Matrix> part_;
  std::int64_t rows_;
  Arena<Space> row_ptr_arena_, arena_;
  typename Arena<Space>::template Array<Off> row_ptr_;
  typename Arena<Space>::template Array<O> col_idx_;
  typename Arena<Space>::template Array<S> values_;
};

}  // namespace heddle::detail::gauss_seidel
