// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/matrix.hpp"
#include "../arrays.hpp"
#include "kernel.hpp"

namespace heddle::detail::slots {

/// Fills slots from CSR, an item a slot: the values, and with Columns the columns too. Entries of a
/// row beyond its slots are left out.
template <class Matrix, bool Columns>
struct FillKernel {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Off* row_ptr;
  const O* from_columns;
  const S* from_values;
  std::int64_t rows;
  std::int64_t stride;
  O* col_idx;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    const std::int64_t row = at % stride;
    const Off begin = row < rows ? row_ptr[row] : Off(0);
    const Off end = row < rows ? row_ptr[row + 1] : Off(0);
    const Off k = begin + static_cast<Off>(at / stride);
    if (Columns) col_idx[at] = k < end ? from_columns[k] : O(-1);
    values[at] = k < end ? from_values[k] : S(0);
  }
};

/// The arrays of an ELL matrix, or of the main part of HYB, both in one allocation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Stores the first `width` entries of each row, in their order. One allocation, one launch in
  /// the order of `exec`, no wait.
  Storage(const Exec& exec, const Matrix& A, int width)
      : rows_(A.rows()), stride_(padded(A.rows())), width_(width) {
    std::tie(col_idx_, values_) = arrays<O, S>(arena_, exec, "heddle::spmv::ell", slots(), slots());
    fill<true>(exec, A);
  }

  /// Copies new values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) const { fill<false>(exec, A); }

  View<S, O> view() const { return {rows_, stride_, width_, col_idx_, values_}; }
  std::size_t bytes() const { return arena_.bytes(); }
  std::int64_t slots() const { return stride_ * width_; }
  double read_bytes() const { return static_cast<double>(slots()) * (sizeof(O) + sizeof(S)); }
  double carried_bytes() const { return 0; }

  static std::int64_t padded(std::int64_t rows) {
    return ceil_div(rows, tuning.row_alignment) * tuning.row_alignment;
  }

 private:
  template <bool Columns>
  void fill(const Exec& exec, const Matrix& A) const {
    Kokkos::parallel_for(
        Columns ? "heddle::spmv::ell_fill" : "heddle::spmv::ell_values",
        range_policy(exec, slots()),
        FillKernel<Matrix, Columns>{A.row_ptr().data(), A.col_idx().data(), A.values().data(),
                                    rows_, stride_, col_idx_, values_});
  }

  O rows_;
  std::int64_t stride_;
  int width_;
  Arena<Space> arena_;
  O* col_idx_ = nullptr;
  S* values_ = nullptr;
};

}  // namespace heddle::detail::slots
