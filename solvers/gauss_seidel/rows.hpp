// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../triangle/bad_row.hpp"
#include "rows_kernel.hpp"
#include "side.hpp"

namespace heddle::detail::gauss_seidel {

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
