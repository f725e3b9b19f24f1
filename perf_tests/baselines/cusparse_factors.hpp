// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILU(0) and IC(0) of cuSPARSE (csrilu02, csric02), applied by two SpSV.
#pragma once

#include <optional>

#include "cusparse_csr.hpp"

namespace heddle::bench::cusparse {

/// Factors in the pattern of A. For Cholesky factors the lower triangle holds L.
template <Scalar S>
class Factors {
 public:
  using Array = Kokkos::View<S*, Space>;

  /// Analyses A and factors it.
  template <class Matrix>
  Factors(const Exec& exec, const Matrix& A, bool cholesky)
      : exec_(exec),
        handle_(library(exec)),
        cholesky_(cholesky),
        rows_(A.rows()),
        nonzeros_(static_cast<int>(A.nonzeros())),
        row_ptr_(int_row_ptr(A.row_ptr())),
        col_idx_(A.col_idx().data()),
        from_(A.values().data()),
        values_(allocate<S>(exec, "heddle::bench::factors", nonzeros_)),
        middle_(allocate<S>(exec, "heddle::bench::middle", rows_)) {
    if (cholesky_) {
      cusparseCreateCsric02Info(&cholesky_info_);
    } else {
      cusparseCreateCsrilu02Info(&lu_info_);
    }
    try {
      analyse();
      eliminate();
      TriangleOf lower, upper;
      upper.fill = CUSPARSE_FILL_MODE_UPPER;
      if (cholesky_) {
        upper = lower;
        upper.adjoint = true;
      } else {
        lower.diagonal = CUSPARSE_DIAG_TYPE_UNIT;
      }
      lower_.emplace(exec, A, values_, lower, middle_, middle_);
      upper_.emplace(exec, A, values_, upper, middle_, middle_);
    } catch (...) {
      destroy();
      throw;
    }
  }
  Factors(const Factors&) = delete;
  ~Factors() { destroy(); }

  /// Factors the current values of A, and updates both triangular solves.
  void factor() {
    eliminate();
    lower_->update_values();
    upper_->update_values();
  }
  /// Factors the current values of A without updating the triangular solves.
  void eliminate() {
    cudaMemcpyAsync(values_.data(), from_, values_.span() * sizeof(S), cudaMemcpyDeviceToDevice,
                    exec_.cuda_stream());
    constexpr auto lu =
        of_scalar<S>(cusparseScsrilu02, cusparseDcsrilu02, cusparseCcsrilu02, cusparseZcsrilu02);
    constexpr auto ic =
        of_scalar<S>(cusparseScsric02, cusparseDcsric02, cusparseCcsric02, cusparseZcsric02);
    check(cholesky_ ? ic(handle_, rows_, nonzeros_, description_.handle(), native(values_.data()),
                         row_ptr_, col_idx_, cholesky_info_, policy, buffer_.data())
                    : lu(handle_, rows_, nonzeros_, description_.handle(), native(values_.data()),
                         row_ptr_, col_idx_, lu_info_, policy, buffer_.data()),
          cholesky_ ? "cusparseXcsric02" : "cusparseXcsrilu02");
  }
  void solve(const Array& r, const Array& z) const {
    lower_->solve(r, middle_);
    upper_->solve(middle_, z);
  }
  const Array& values() const { return values_; }
  std::size_t bytes() const {
    return (values_.span() + middle_.span()) * sizeof(S) + buffer_.size() + lower_->bytes() +
           upper_->bytes();
  }

 private:
  static constexpr auto policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;

  void analyse() {
    constexpr auto lu_size =
        of_scalar<S>(cusparseScsrilu02_bufferSize, cusparseDcsrilu02_bufferSize,
                     cusparseCcsrilu02_bufferSize, cusparseZcsrilu02_bufferSize);
    constexpr auto ic_size = of_scalar<S>(cusparseScsric02_bufferSize, cusparseDcsric02_bufferSize,
                                          cusparseCcsric02_bufferSize, cusparseZcsric02_bufferSize);
    constexpr auto lu = of_scalar<S>(cusparseScsrilu02_analysis, cusparseDcsrilu02_analysis,
                                     cusparseCcsrilu02_analysis, cusparseZcsrilu02_analysis);
    constexpr auto ic = of_scalar<S>(cusparseScsric02_analysis, cusparseDcsric02_analysis,
                                     cusparseCcsric02_analysis, cusparseZcsric02_analysis);
    int size = 0;
    check(cholesky_ ? ic_size(handle_, rows_, nonzeros_, description_.handle(),
                              native(values_.data()), row_ptr_, col_idx_, cholesky_info_, &size)
                    : lu_size(handle_, rows_, nonzeros_, description_.handle(),
                              native(values_.data()), row_ptr_, col_idx_, lu_info_, &size),
          "the size of a buffer for factors");
    buffer_ = allocate<char>(exec_, "heddle::bench::cusparse_buffer", std::max(size, 1));
    check(cholesky_ ? ic(handle_, rows_, nonzeros_, description_.handle(), native(values_.data()),
                         row_ptr_, col_idx_, cholesky_info_, policy, buffer_.data())
                    : lu(handle_, rows_, nonzeros_, description_.handle(), native(values_.data()),
                         row_ptr_, col_idx_, lu_info_, policy, buffer_.data()),
          "the analysis for factors");
  }
  void destroy() {
    if (cholesky_info_) cusparseDestroyCsric02Info(cholesky_info_);
    if (lu_info_) cusparseDestroyCsrilu02Info(lu_info_);
  }

  Exec exec_;
  cusparseHandle_t handle_;
  bool cholesky_;
  int rows_, nonzeros_;
  const int* row_ptr_;
  const int* col_idx_;
  const S* from_;
  Array values_, middle_;
  MatrixDescription description_;
  csric02Info_t cholesky_info_ = nullptr;
  csrilu02Info_t lu_info_ = nullptr;
  Kokkos::View<char*, Space> buffer_;
  std::optional<TriangleSolve<S>> lower_, upper_;
};

}  // namespace heddle::bench::cusparse
