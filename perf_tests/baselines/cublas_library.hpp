// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuBLAS calls of the baselines' loops: dot products, and sums whose factors may be on the device.
#pragma once

#include <cublas_v2.h>

#include "cusparse_scalars.hpp"

namespace heddle::bench::cublas {

using cusparse::native;
using cusparse::of_scalar;

inline void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(std::string(what) + ": " + cublasGetStatusString(status),
              "leave this baseline out for this problem");
}

/// Memory of the factors and results of a call (cuBLAS pointer mode).
enum class Numbers { on_host, on_device };

/// cuBLAS for vectors of one length, on the stream of an instance.
template <Scalar S>
class Vectors {
 public:
  using Vector = Kokkos::View<S*, Space>;

  Vectors(const Exec& exec, std::size_t rows, Numbers where) : rows_(static_cast<int>(rows)) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, exec.cuda_stream()), "cublasSetStream");
    check(cublasSetPointerMode(handle_, where == Numbers::on_device ? CUBLAS_POINTER_MODE_DEVICE
                                                                    : CUBLAS_POINTER_MODE_HOST),
          "cublasSetPointerMode");
  }
  Vectors(const Vectors&) = delete;
  ~Vectors() { cublasDestroy(handle_); }

  /// result = x . y with x conjugated.
  void dot(const Vector& x, const Vector& y, S* result) const {
    constexpr auto call = of_scalar<S>(cublasSdot, cublasDdot, cublasCdotc, cublasZdotc);
    check(call(handle_, rows_, native(x.data()), 1, native(y.data()), 1, native(result)),
          "cublasXdot");
  }
  /// y += a x.
  void axpy(const S* a, const Vector& x, const Vector& y) const {
    constexpr auto call = of_scalar<S>(cublasSaxpy, cublasDaxpy, cublasCaxpy, cublasZaxpy);
    check(call(handle_, rows_, native(a), native(x.data()), 1, native(y.data()), 1), "cublasXaxpy");
  }
  /// y = a x + b y in one pass; y is not read for b = 0 on the host.
  void axpby(const S* a, const Vector& x, const S* b, const Vector& y) const {
    constexpr auto call = of_scalar<S>(cublasSgeam, cublasDgeam, cublasCgeam, cublasZgeam);
    check(call(handle_, CUBLAS_OP_N, CUBLAS_OP_N, rows_, 1, native(a), native(x.data()), rows_,
               native(b), native(y.data()), rows_, native(y.data()), rows_),
          "cublasXgeam");
  }
  /// z(i) = d(i) r(i).
  void scale(const Vector& d, const Vector& r, const Vector& z) const {
    constexpr auto call = of_scalar<S>(cublasSdgmm, cublasDdgmm, cublasCdgmm, cublasZdgmm);
    check(call(handle_, CUBLAS_SIDE_LEFT, rows_, 1, native(r.data()), rows_, native(d.data()), 1,
               native(z.data()), rows_),
          "cublasXdgmm");
  }
  /// h = V^H w, then w -= V h, for the first `count` columns of V, whose leading dimension is
  /// `stride`. Needs Numbers::on_host.
  void project(const Vector& V, int stride, int count, const Vector& w, S* h) const {
    const auto adjoint = is_complex<S> ? CUBLAS_OP_C : CUBLAS_OP_T;
    gemv(adjoint, V, stride, count, S(1), w.data(), S(0), h);
    gemv(CUBLAS_OP_N, V, stride, count, S(-1), h, S(1), w.data());
  }
  /// w = V y for the first `count` columns of V. Needs Numbers::on_host.
  void combine(const Vector& V, int stride, int count, const S* y, const Vector& w) const {
    gemv(CUBLAS_OP_N, V, stride, count, S(1), y, S(0), w.data());
  }
  /// y = R^-1 y for the upper triangular R of order `count` and leading dimension `stride`.
  void solve_upper(const S* R, int stride, int count, S* y) const {
    constexpr auto call = of_scalar<S>(cublasStrsv, cublasDtrsv, cublasCtrsv, cublasZtrsv);
    check(call(handle_, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, count, native(R),
               stride, native(y), 1),
          "cublasXtrsv");
  }

 private:
  void gemv(cublasOperation_t op, const Vector& V, int stride, int count, S a, const S* x, S b,
            S* y) const {
    constexpr auto call = of_scalar<S>(cublasSgemv, cublasDgemv, cublasCgemv, cublasZgemv);
    check(call(handle_, op, rows_, count, native(&a), native(V.data()), stride, native(x), 1,
               native(&b), native(y), 1),
          "cublasXgemv");
  }

  cublasHandle_t handle_ = nullptr;
  int rows_;
};

}  // namespace heddle::bench::cublas
