// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CSR matrix and its triangles by cuSPARSE's generic interface: SpMV and SpSV on any vectors.
#pragma once

#include <memory>

#include "cusparse_scalars.hpp"

namespace heddle::bench::cusparse {

/// Deleter of the owning pointer to a cuSPARSE descriptor (Owned).
template <class Handle, cusparseStatus_t (*destroy)(Handle)>
struct Destroy {
  void operator()(std::remove_pointer_t<Handle>* handle) const { destroy(handle); }
};
template <class Handle, cusparseStatus_t (*destroy)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, destroy>>;

/// A vector descriptor whose array is set at each call.
template <Scalar S>
class AnyVector {
 public:
  using Array = Kokkos::View<S*, Space>;

  explicit AnyVector(const Array& first) {
    cusparseDnVecDescr_t made = nullptr;
    check(cusparseCreateDnVec(&made, static_cast<std::int64_t>(first.extent(0)), first.data(),
                              data_type<S>()),
          "cusparseCreateDnVec");
    handle_.reset(made);
  }
  cusparseDnVecDescr_t of(const Array& array) const {
    check(cusparseDnVecSetValues(handle_.get(), array.data()), "cusparseDnVecSetValues");
    return handle_.get();
  }

 private:
  static cusparseStatus_t destroy(cusparseDnVecDescr_t handle) {
    return cusparseDestroyDnVec(handle);
  }
  Owned<cusparseDnVecDescr_t, destroy> handle_;
};

/// A CSR descriptor of the pattern of A with `values`.
template <Scalar S>
class AnyCsr {
 public:
  template <class Matrix, class Values>
  AnyCsr(const Matrix& A, const Values& values) {
    using Offset = typename Matrix::offset_type;
    using Ordinal = typename Matrix::ordinal_type;
    cusparseSpMatDescr_t made = nullptr;
    check(cusparseCreateCsr(&made, A.rows(), A.columns(), static_cast<std::int64_t>(A.nonzeros()),
                            mutable_data(A.row_ptr()), mutable_data(A.col_idx()),
                            mutable_data(values), index_type<Offset>(), index_type<Ordinal>(),
                            CUSPARSE_INDEX_BASE_ZERO, data_type<S>()),
          "cusparseCreateCsr");
    handle_.reset(made);
  }
  void take_triangle(cusparseFillMode_t fill, cusparseDiagType_t diagonal) const {
    check(cusparseSpMatSetAttribute(get(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
          "cusparseSpMatSetAttribute");
    check(cusparseSpMatSetAttribute(get(), CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
          "cusparseSpMatSetAttribute");
  }
  cusparseSpMatDescr_t get() const { return handle_.get(); }

 private:
  static cusparseStatus_t destroy(cusparseSpMatDescr_t handle) {
    return cusparseDestroySpMat(handle);
  }
  Owned<cusparseSpMatDescr_t, destroy> handle_;
};

/// y = alpha A x + beta y by the library's default algorithm, preprocessed.
template <Scalar S>
class Product {
 public:
  using Array = Kokkos::View<S*, Space>;

  template <class Matrix>
  Product(const Exec& exec, const Matrix& A, const Array& x, const Array& y)
      : handle_(library(exec)), A_(A, A.values()), x_(x), y_(y) {
    const S one(1), zero(0);
    std::size_t size = 0;
    check(cusparseSpMV_bufferSize(handle_, plain, &one, A_.get(), x_.of(x), &zero, y_.of(y),
                                  data_type<S>(), CUSPARSE_SPMV_ALG_DEFAULT, &size),
          "cusparseSpMV_bufferSize");
    buffer_ = allocate<char>(exec, "heddle::bench::cusparse_buffer",
                             static_cast<std::int64_t>(std::max<std::size_t>(size, 1)));
    check(cusparseSpMV_preprocess(handle_, plain, &one, A_.get(), x_.of(x), &zero, y_.of(y),
                                  data_type<S>(), CUSPARSE_SPMV_ALG_DEFAULT, buffer_.data()),
          "cusparseSpMV_preprocess");
  }
  void apply(const S& alpha, const Array& x, const S& beta, const Array& y) const {
    check(cusparseSpMV(handle_, plain, &alpha, A_.get(), x_.of(x), &beta, y_.of(y), data_type<S>(),
                       CUSPARSE_SPMV_ALG_DEFAULT, buffer_.data()),
          "cusparseSpMV");
  }
  std::size_t bytes() const { return buffer_.size(); }

 private:
  static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  cusparseHandle_t handle_;
  AnyCsr<S> A_;
  AnyVector<S> x_, y_;
  Kokkos::View<char*, Space> buffer_;
};

/// A triangle of a matrix, and the operation of its solve.
struct TriangleOf {
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  bool adjoint = false;
};

/// x = op(T)^-1 b for a triangle T of the pattern of a matrix with `values`.
template <Scalar S>
class TriangleSolve {
 public:
  using Array = Kokkos::View<S*, Space>;

  template <class Matrix, class Values>
  TriangleSolve(const Exec& exec, const Matrix& A, const Values& values, TriangleOf triangle,
                const Array& b, const Array& x)
      : handle_(library(exec)),
        op_(!triangle.adjoint ? CUSPARSE_OPERATION_NON_TRANSPOSE
            : is_complex<S>   ? CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE
                              : CUSPARSE_OPERATION_TRANSPOSE),
        T_(A, values),
        values_(mutable_data(values)),
        b_(b),
        x_(x) {
    T_.take_triangle(triangle.fill, triangle.diagonal);
    cusparseSpSVDescr_t made = nullptr;
    check(cusparseSpSV_createDescr(&made), "cusparseSpSV_createDescr");
    plan_.reset(made);
    const S one(1);
    std::size_t size = 0;
    check(cusparseSpSV_bufferSize(handle_, op_, &one, T_.get(), b_.of(b), x_.of(x), data_type<S>(),
                                  CUSPARSE_SPSV_ALG_DEFAULT, plan_.get(), &size),
          "cusparseSpSV_bufferSize");
    buffer_ = allocate<char>(exec, "heddle::bench::cusparse_buffer",
                             static_cast<std::int64_t>(std::max<std::size_t>(size, 1)));
    check(cusparseSpSV_analysis(handle_, op_, &one, T_.get(), b_.of(b), x_.of(x), data_type<S>(),
                                CUSPARSE_SPSV_ALG_DEFAULT, plan_.get(), buffer_.data()),
          "cusparseSpSV_analysis");
  }
  void solve(const Array& b, const Array& x) const {
    const S one(1);
    check(cusparseSpSV_solve(handle_, op_, &one, T_.get(), b_.of(b), x_.of(x), data_type<S>(),
                             CUSPARSE_SPSV_ALG_DEFAULT, plan_.get()),
          "cusparseSpSV_solve");
  }
  /// Call this after the values have changed in place.
  void update_values() const {
    check(cusparseSpSV_updateMatrix(handle_, plan_.get(), values_, CUSPARSE_SPSV_UPDATE_GENERAL),
          "cusparseSpSV_updateMatrix");
  }
  std::size_t bytes() const { return buffer_.size(); }

 private:
  static cusparseStatus_t destroy(cusparseSpSVDescr_t plan) {
    return cusparseSpSV_destroyDescr(plan);
  }

  cusparseHandle_t handle_;
  cusparseOperation_t op_;
  AnyCsr<S> T_;
  void* values_;
  AnyVector<S> b_, x_;
  Owned<cusparseSpSVDescr_t, destroy> plan_;
  Kokkos::View<char*, Space> buffer_;
};

}  // namespace heddle::bench::cusparse
