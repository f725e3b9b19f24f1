// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block format of cuSPARSE's older interface (BSR), converted from a CSR matrix.
#pragma once

#include <functional>

#include "cusparse_scalars.hpp"

namespace heddle::bench::cusparse {

/// A CSR matrix converted by csr2bsr to blocks of size x size, each stored by rows. Entries of a
/// block beyond the edges of the matrix are zero.
template <Scalar S>
class Blocks {
 public:
  /// Calls `accept`, which may throw, with the number of blocks before they are allocated. Waits
  /// for that number, and leaves the filling enqueued.
  template <class Matrix>
  Blocks(
      const Exec& exec, const Matrix& A, int size,
      const std::function<void(std::int64_t)>& accept = [](std::int64_t) {})
      : size_(size), rows_(ceil_div<int>(A.rows(), size)) {
    const cusparseHandle_t handle = library(exec);
    const int* from = int_row_ptr(A.row_ptr());
    row_ptr_ = allocate<int>(exec, "heddle::bench::bsr_row_ptr", rows_ + 1);
    check(cusparseXcsr2bsrNnz(handle, direction, A.rows(), A.columns(), description(), from,
                              A.col_idx().data(), size, description(), row_ptr_.data(), &count_),
          "cusparseXcsr2bsrNnz");
    exec.fence("heddle::bench::bsr_count");
    accept(count_);
    col_idx_ = allocate<int>(exec, "heddle::bench::bsr_col_idx", count_);
    values_ = allocate<S>(exec, "heddle::bench::bsr_values", std::int64_t{count_} * size * size);
    const auto fill =
        of_scalar<S>(cusparseScsr2bsr, cusparseDcsr2bsr, cusparseCcsr2bsr, cusparseZcsr2bsr);
    check(fill(handle, direction, A.rows(), A.columns(), description(), native(A.values().data()),
               from, A.col_idx().data(), size, description(), native(values_.data()),
               row_ptr_.data(), col_idx_.data()),
          "cusparseXcsr2bsr");
  }

  static constexpr cusparseDirection_t direction = CUSPARSE_DIRECTION_ROW;
  cusparseMatDescr_t description() const { return description_.handle(); }
  int size() const { return size_; }
  /// Numbers of block rows and of blocks.
  int rows() const { return rows_; }
  int count() const { return count_; }
  const Kokkos::View<int*, Space>& row_ptr() const { return row_ptr_; }
  const Kokkos::View<int*, Space>& col_idx() const { return col_idx_; }
  const Kokkos::View<S*, Space>& values() const { return values_; }
  std::size_t bytes() const {
    return (row_ptr_.span() + col_idx_.span()) * sizeof(int) + values_.span() * sizeof(S);
  }

 private:
  MatrixDescription description_;
  int size_ = 1, rows_ = 0, count_ = 0;
  Kokkos::View<int*, Space> row_ptr_, col_idx_;
  Kokkos::View<S*, Space> values_;
};

}  // namespace heddle::bench::cusparse
