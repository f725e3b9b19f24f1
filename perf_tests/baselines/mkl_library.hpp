// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts that the Intel MKL baselines share: its inspector-executor interface.
#pragma once

#include <complex>
#include <cstdlib>
#define MKL_Complex8 std::complex<float>
#define MKL_Complex16 std::complex<double>
#include <mkl_service.h>
#include <mkl_spblas.h>

#include "../../core/error.hpp"
#include "../bench/common/problem.hpp"

namespace heddle::bench::mkl {

/// MKL's type for a Heddle scalar; both have the same layout.
template <class T>
struct TypeOf {
  using type = T;
};
template <class T>
struct TypeOf<Kokkos::complex<T>> {
  using type = std::complex<T>;
};
template <class S>
using Type = typename TypeOf<S>::type;

template <class S>
Type<S> value(const S& value) {
  if constexpr (is_complex<S>) {
    return Type<S>(value.real(), value.imag());
  } else {
    return value;
  }
}
template <class View>
auto* array(const View& view) {
  using S = typename View::non_const_value_type;
  return reinterpret_cast<Type<S>*>(const_cast<S*>(view.data()));
}

/// The function for scalars of type M among MKL's four of one name.
template <class M, class Float, class Double, class CFloat, class CDouble>
constexpr auto* of_type(Float* f, Double* d, CFloat* cf, CDouble* cd) {
  if constexpr (std::is_same_v<M, float>) {
    return f;
  } else if constexpr (std::is_same_v<M, double>) {
    return d;
  } else if constexpr (std::is_same_v<M, std::complex<float>>) {
    return cf;
  } else {
    return cd;
  }
}

inline void check(sparse_status_t status, const char* what) {
  if (status == SPARSE_STATUS_SUCCESS) return;
  throw Error(std::string(what) + " failed with status " + std::to_string(status),
              "leave this baseline out for this problem");
}

inline constexpr auto plain = SPARSE_OPERATION_NON_TRANSPOSE;

inline matrix_descr described(sparse_matrix_type_t type, sparse_fill_mode_t mode,
                              sparse_diag_type_t diag) {
  matrix_descr description{};
  description.type = type;
  description.mode = mode;
  description.diag = diag;
  return description;
}

inline matrix_descr general() {
  return described(SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT);
}

/// Number of applies that an inspection is given as a hint.
inline constexpr MKL_INT expected_applies = 1000;

inline sparse_layout_t layout(bool row_major) {
  return row_major ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR;
}

/// Call this before any call of MKL: MKL then runs on the program's OpenMP, unless share_threads or
/// the environment chooses otherwise.
inline void share_openmp() {
#ifdef __clang__
  setenv("MKL_THREADING_LAYER", "INTEL", 0);
#else
  setenv("MKL_THREADING_LAYER", "GNU", 0);
#endif
}

/// Gives MKL the threads of `exec`. mkl_rt chooses its OpenMP at the first call: the program's,
/// since two in one process disturb each other, or none for one thread, as in a program without
/// OpenMP.
inline void share_threads(const Exec& exec) {
  static const int chosen = [&] {
    if (exec.concurrency() == 1) return mkl_set_threading_layer(MKL_THREADING_SEQUENTIAL);
#ifdef __clang__
    return mkl_set_threading_layer(MKL_THREADING_INTEL);
#else
    return mkl_set_threading_layer(MKL_THREADING_GNU);
#endif
  }();
  (void)chosen;
  mkl_set_num_threads(exec.concurrency());
}

/// A CSR matrix as an MKL handle, which borrows the arrays. MKL has all threads from then on.
template <Scalar S, Offset Off>
class Matrix {
 public:
  explicit Matrix(const CsrMatrix<S, Index, Off, Space>& A) {
    if constexpr (sizeof(Off) != sizeof(MKL_INT)) {
      throw Error("this MKL has offsets of " + std::to_string(8 * sizeof(MKL_INT)) + " bits",
                  "use --offset " + std::to_string(8 * sizeof(MKL_INT)));
    } else {
      share_threads(Exec());
      auto* begin = reinterpret_cast<MKL_INT*>(const_cast<Off*>(A.row_ptr().data()));
      auto* columns = const_cast<MKL_INT*>(A.col_idx().data());
      constexpr auto create = of_type<Type<S>>(mkl_sparse_s_create_csr, mkl_sparse_d_create_csr,
                                               mkl_sparse_c_create_csr, mkl_sparse_z_create_csr);
      check(create(&handle_, SPARSE_INDEX_BASE_ZERO, A.rows(), A.columns(), begin, begin + 1,
                   columns, array(A.values())),
            "mkl_sparse_create_csr");
    }
  }
  Matrix(const Matrix&) = delete;
  ~Matrix() {
    if (handle_) mkl_sparse_destroy(handle_);
  }

  sparse_matrix_t handle() const { return handle_; }
  void optimize() { check(mkl_sparse_optimize(handle_), "mkl_sparse_optimize"); }

 private:
  sparse_matrix_t handle_ = nullptr;
};

}  // namespace heddle::bench::mkl
