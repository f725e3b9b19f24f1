// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../../core/types.hpp"
#include "../ordered/loop.hpp"
#include "../triangle/bad_row.hpp"
#include "../triangle/graph.hpp"
#include "rows_kernel.hpp"

namespace heddle::detail::gauss_seidel {

/// The order in which a sweep takes the rows: their own, or one in which row i is rank[i]-th.
template <Ordinal O>
struct RowOrder {
  const O* rank = nullptr;  ///< of each row; null in their own order
  const O* row = nullptr;   ///< of each rank

  KOKKOS_FORCEINLINE_FUNCTION O rank_of(O i) const { return rank ? rank[i] : i; }
  KOKKOS_FORCEINLINE_FUNCTION O row_at(O r) const { return row ? row[r] : r; }
  /// Whether a forward sweep takes row i before row j.
  KOKKOS_FORCEINLINE_FUNCTION bool before(O i, O j) const { return rank_of(i) < rank_of(j); }
};

/// Which entries of a row a half sweep solves for, besides the diagonal: forward those of rows
/// before it in the order, backward those of rows after it.
template <Ordinal O>
struct Side {
  RowOrder<O> order;
  bool forward;

  KOKKOS_FORCEINLINE_FUNCTION bool has(O i, O j) const {
    return forward ? order.before(j, i) : order.before(i, j);
  }
};

/// A matrix, and the side of it whose values are taken.
template <Scalar S, Ordinal O, Offset Off>
struct SideOf {
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  Side<O> side;
};
template <class Matrix, Ordinal O>
SideOf<typename Matrix::scalar_type, O, typename Matrix::offset_type> side_of(const Matrix& A,
                                                                              const Side<O>& side) {
  return {A.row_ptr().data(), A.col_idx().data(), A.values().data(), side};
}

/// What the iteration of rank r reads, for Wavefronts.
template <Ordinal O, Offset Off>
struct SideReads {
  const Off* row_ptr;
  const O* col_idx;
  Side<O> side;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O r, const Visit& visit) const {
    const O i = side.order.row_at(r);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O j = col_idx[k];
      if (side.has(i, j)) visit(side.order.rank_of(j));
    }
  }
};

/// The row that a schedule has at each place.
template <Ordinal O>
struct RowAtPlace {
  ordered::PlaceOrder<O> places;
  RowOrder<O> order;

  KOKKOS_FORCEINLINE_FUNCTION O operator()(std::int64_t place) const {
    return order.row_at(places(place));
  }
};

template <Ordinal O, Offset Off>
struct CountRow {
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

template <Ordinal O, Offset Off>
struct CopyRow {
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

/// The pattern of one side in the order in which a half sweep takes the rows: the row at place p
/// has entries row_ptr[p] to row_ptr[p + 1] in their order, and the last is the row itself.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class SidePattern {
 public:
  using Space = typename Exec::memory_space;

  SidePattern() = default;

  /// Two allocations, and waits for `exec`: the number of entries is read back.
  template <class Pattern>
  SidePattern(const Exec& exec, const Pattern& A, const Side<O>& side, const RowAtPlace<O>& rows)
      : places_(A.rows()) {
    const auto n = static_cast<std::size_t>(places_);
    row_ptr_memory_ = Arena<Space>(exec, "heddle::gauss_seidel::row_ptr", arena_bytes<Off>(n + 1));
    row_ptr_ = row_ptr_memory_.template take<Off>(n + 1);
    const Off* const row_ptr = A.row_ptr().data();
    const O* const col_idx = A.col_idx().data();
    const std::int64_t with_diagonal =
        running_sum_and_total(exec, "heddle::gauss_seidel::row_ptr", row_ptr_.data(), places_,
                              CountRow<O, Off>{row_ptr, col_idx, side, rows});
    const std::size_t entries =
        triangle::entries_with_diagonal<Off>(with_diagonal - places_, places_);
    memory_ = Arena<Space>(exec, "heddle::gauss_seidel::columns", arena_bytes<O>(entries));
    col_idx_ = memory_.template take<O>(entries);
    Kokkos::parallel_for(
        "heddle::gauss_seidel::pattern", range_policy(exec, places_),
        CopyRow<O, Off>{row_ptr, col_idx, side, rows, row_ptr_.data(), col_idx_.data()});
  }

  std::int64_t places() const { return places_; }
  /// Those of the diagonal among them.
  std::size_t entries() const { return col_idx_.extent(0); }
  const Off* row_ptr() const { return row_ptr_.data(); }
  const O* col_idx() const { return col_idx_.data(); }
  std::size_t bytes() const { return row_ptr_memory_.bytes() + memory_.bytes(); }

 private:
  std::int64_t places_ = 0;
  Arena<Space> row_ptr_memory_, memory_;
  typename Arena<Space>::template Array<Off> row_ptr_;
  typename Arena<Space>::template Array<O> col_idx_;
};

/// Of a matrix with another pattern nothing is written beyond the row.
template <Scalar S, Ordinal O, Offset Off>
struct UpdateRow {
  SideOf<S, O, Off> from;
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
    for (Off k = from.row_ptr[i]; k < from.row_ptr[i + 1]; ++k) {
      const O j = from.col_idx[k];
      if (j == i) {
        sum += from.values[k];
      } else if (to < end && from.side.has(i, j)) {
        values[to++] = from.values[k];
      }
    }
    values[end] = relaxed_reciprocal(omega, sum);
    diagonal[place] = sum;
    if (bad_diagonal && triangle::is_bad_diagonal(sum)) triangle::mark_bad_row(bad_diagonal, i);
  }
};

/// The copy of a side that a RowsView looks at, and the kernels of its half sweeps.
template <ExecutionSpace Exec, class Matrix>
class Rows {
 public:
  using matrix_type = Matrix;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using View = RowsView<S, O, Off>;
  /// What a schedule and a copy are made from.
  using Source = Matrix;
  /// Whether HandOverKernel takes them.
  static constexpr bool are_rows = true;

  Rows() = default;

  /// Three allocations, and waits for `exec`: the number of entries is read back. Rows keep the
  /// order of their entries. No values yet.
  Rows(const Exec& exec, const Source& A, const Side<O>& side, const RowAtPlace<O>& rows)
      : side_(side), pattern_(exec, A, side, rows) {
    const auto n = static_cast<std::size_t>(A.rows());
    memory_ = Arena<Space>(exec, "heddle::gauss_seidel::values",
                           arena_bytes<S, S>(pattern_.entries(), n));
    values_ = memory_.template take<S>(pattern_.entries());
    diagonal_ = memory_.template take<S>(n);
  }

  /// The values of a matrix of the same pattern, in the order of `exec`: one launch, no allocation,
  /// no wait. The lowest row whose diagonal turns out to be bad is marked in *bad_diagonal, if that
  /// is given (mark_bad_row).
  void update_values(const Exec& exec, const Matrix& A, heddle::RealOf<S> omega,
                     std::int64_t* bad_diagonal) {
    Kokkos::parallel_for(
        "heddle::gauss_seidel::values", range_policy(exec, places()),
        UpdateRow<S, O, Off>{side_of(A, side_), pattern_.row_ptr(), pattern_.col_idx(),
                             values_.data(), diagonal_.data(), S(omega), bad_diagonal});
  }

  /// use(the kernel of a half sweep); `rest` is the other side in the same order, of Start::rest.
  template <Start start, class Use>
  void with_sweep(const View& rest, const Pass<S>& pass, const Use& use) const {
    use(RowsKernel<S, O, Off, start>{view(), rest, pass});
  }
  /// use(the kernel of this side times x, or of the residual).
  template <bool residual, class Use>
  void with_side(const Pass<S>& pass, const Multivector<S>& to, const Use& use) const {
    use(SideKernel<S, O, Off, residual>{view(), pass, to});
  }

  std::int64_t places() const { return pattern_.places(); }
  /// Without those of the diagonal.
  std::int64_t entries() const { return static_cast<std::int64_t>(values_.extent(0)) - places(); }
  View view() const {
    return {pattern_.row_ptr(), pattern_.col_idx(), values_.data(), diagonal_.data()};
  }
  std::size_t bytes() const { return pattern_.bytes() + memory_.bytes(); }

 private:
  Side<O> side_{};
  SidePattern<Exec, O, Off> pattern_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_, diagonal_;
};

}  // namespace heddle::detail::gauss_seidel
