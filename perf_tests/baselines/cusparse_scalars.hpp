// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars, arrays and matrices for the older interfaces of cuSPARSE and cuBLAS.
#pragma once

#define DISABLE_CUSPARSE_DEPRECATED  // csr2bsr, csrilu02, csric02 have no full replacement
#include <string>

#include "cusparse_library.hpp"

namespace heddle::bench::cusparse {

/// The type of a Heddle scalar in CUDA's libraries.
template <class T>
struct NativeOf {
  using type = T;
};
template <>
struct NativeOf<Kokkos::complex<float>> {
  using type = cuComplex;
};
template <>
struct NativeOf<Kokkos::complex<double>> {
  using type = cuDoubleComplex;
};

template <class T>
auto* native(const T* array) {
  return reinterpret_cast<typename NativeOf<T>::type*>(const_cast<T*>(array));
}

/// The function for scalar S among four that differ only in S, D, C or Z.
template <Scalar S, class F, class D, class C, class Z>
constexpr auto of_scalar(F of_float, D of_double, C of_complex_float, Z of_complex_double) {
  if constexpr (std::is_same_v<S, float>) return of_float;
  if constexpr (std::is_same_v<S, double>) return of_double;
  if constexpr (std::is_same_v<S, Kokkos::complex<float>>) return of_complex_float;
  if constexpr (std::is_same_v<S, Kokkos::complex<double>>) return of_complex_double;
}

template <class T>
Kokkos::View<T*, Space> allocate(const Exec& exec, const char* label, std::int64_t count) {
  return Kokkos::View<T*, Space>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
      static_cast<std::size_t>(count));
}

/// A row pointer for the older interface; throws Error for offsets of 64 bits.
template <class View>
const int* int_row_ptr(const View& row_ptr) {
  if constexpr (sizeof(typename View::non_const_value_type) == sizeof(int)) {
    return row_ptr.data();
  } else {
    throw Error("cuSPARSE's older interface needs offsets of 32 bits", "use --offset 32");
  }
}

class MatrixDescription {
 public:
  MatrixDescription() { check(cusparseCreateMatDescr(&handle_), "cusparseCreateMatDescr"); }
  MatrixDescription(const MatrixDescription&) = delete;
  ~MatrixDescription() { cusparseDestroyMatDescr(handle_); }
  cusparseMatDescr_t handle() const { return handle_; }

 private:
  cusparseMatDescr_t handle_ = nullptr;
};

}  // namespace heddle::bench::cusparse
