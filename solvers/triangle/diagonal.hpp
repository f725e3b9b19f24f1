// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "bad_row.hpp"
#include "diagonal_value.hpp"

namespace heddle::detail::triangle {

template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct SumDiagonal {
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const O* row;  ///< at each place
  D* diagonal;
  D* reciprocal;
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const O i = row[p];
    D sum(0);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (col_idx[k] == i) sum += D(values[k]);
    }
    diagonal[p] = sum;
    reciprocal[p] = reciprocal_or_zero(sum);
    if (bad_diagonal && is_bad_diagonal(sum)) mark_bad_row(bad_diagonal, i);
  }
};

/// The diagonal of a triangle and its reciprocal in D (DiagonalOf), place by place; nothing for a
/// unit diagonal.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D>
class DiagonalStorage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  DiagonalStorage() = default;

  /// One allocation, no values yet. row(p) is the row at place p.
  DiagonalStorage(const Exec& exec, typename Arena<Space>::template Array<O> row, bool unit)
      : row_(row), unit_(unit) {
    const std::size_t places = unit ? 0 : row.extent(0);
    memory_ = Arena<Space>(exec, "heddle::triangle::diagonal", arena_bytes<D, D>(places, places));
    diagonal_ = memory_.template take<D>(places);
    reciprocal_ = memory_.template take<D>(places);
  }

  /// The values of a matrix of the same pattern, as loop(i) for each i < places(): adds up entries
  /// in one place. The lowest row whose diagonal turns out to be bad (is_bad_diagonal) is marked in
  /// *bad_diagonal, if that is given (mark_bad_row).
  SumDiagonal<S, O, Off, D> loop(const Matrix& T, std::int64_t* bad_diagonal) const {
    return {T.row_ptr().data(), T.col_idx().data(), T.values().data(), row_.data(),
            diagonal_.data(),   reciprocal_.data(), bad_diagonal};
  }
  /// 0 for a unit diagonal.
  std::int64_t places() const { return unit_ ? 0 : static_cast<std::int64_t>(row_.extent(0)); }

  /// Null for a unit diagonal.
  const D* diagonal() const { return unit_ ? nullptr : diagonal_.data(); }
  const D* reciprocal() const { return reciprocal_.data(); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  typename Arena<Space>::template Array<O> row_;
  bool unit_ = true;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<D> diagonal_, reciprocal_;
};

}  // namespace heddle::detail::triangle
