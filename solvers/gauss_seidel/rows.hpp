// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../../core/types.hpp"
#include "../ordered/rows.hpp"
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

/// Those that a half sweep solves for, in its order.
template <Ordinal O, Offset Off, class Pattern>
ordered::ChosenEntries<O, Off, Side<O>, RowAtPlace<O>> entries_of(const Pattern& A,
                                                                  const Side<O>& side,
                                                                  const RowAtPlace<O>& rows) {
  return {A.row_ptr().data(), A.col_idx().data(), side, rows};
}

/// The copy of a side, and the kernels of its half sweeps.
template <ExecutionSpace Exec, class Matrix>
class SideRows {
 public:
  using matrix_type = Matrix;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using View = ordered::RowsView<S, O, Off>;
  /// What a schedule and a copy are made from.
  using Source = Matrix;
  /// Whether HandOverKernel takes them.
  static constexpr bool are_rows = true;

  SideRows() = default;

  /// Allocates, and waits for `exec`: the number of entries is read back. No values yet.
  SideRows(const Exec& exec, const Source& A, const Side<O>& side, const RowAtPlace<O>& rows)
      : rows_(exec, A.rows(), entries_of<O, Off>(A, side, rows), nullptr, std::nullopt) {}

  /// See ordered::Rows.
  void update_values(const Exec& exec, const Matrix& A, heddle::RealOf<S> omega,
                     std::int64_t* bad_diagonal) {
    rows_.update_values(exec, A, RelaxedReciprocals<S>{S(omega), bad_diagonal});
  }

  /// use(the kernel of a half sweep); `rest` is the other side in the same order, of Start::rest.
  template <Start start, class Use>
  void with_sweep(const View& rest, const HalfSweep<S>& pass, const Use& use) const {
    use(RowsKernel<S, O, Off, start>{view(), rest, pass});
  }
  /// use(the kernel of this side times x, or of the residual).
  template <bool residual, class Use>
  void with_side(const HalfSweep<S>& pass, const Multivector<S>& to, const Use& use) const {
    use(SideKernel<S, O, Off, residual>{view(), pass, to});
  }

  std::int64_t places() const { return rows_.places(); }
  /// Without those of the diagonal.
  std::int64_t entries() const { return rows_.entries(); }
  View view() const { return rows_.view(); }
  std::size_t bytes() const { return rows_.bytes(); }

 private:
  ordered::Rows<Exec, S, O, Off, S, Side<O>> rows_;
};

}  // namespace heddle::detail::gauss_seidel
