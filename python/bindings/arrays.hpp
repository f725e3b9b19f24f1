// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/ndarray.h>

#include <heddle/matrix.hpp>

#include "../../backends/stream.hpp"
#include "runtime.hpp"

/// Complex numbers are NumPy's.
template <class T>
struct nanobind::ndarray_traits<Kokkos::complex<T>> {
  static constexpr bool is_complex = true;
  static constexpr bool is_float = false;
  static constexpr bool is_bool = false;
  static constexpr bool is_int = false;
  static constexpr bool is_signed = true;
};

namespace heddle::python {

/// nanobind's word for where Exec's arrays lie.
template <int dlpack_device>
struct DeviceOf;
template <>
struct DeviceOf<1> {
  using Type = nb::device::cpu;
};
template <>
struct DeviceOf<2> {
  using Type = nb::device::cuda;
};
template <>
struct DeviceOf<10> {
  using Type = nb::device::rocm;
};
using Device = DeviceOf<backends::dlpack_device<Exec>>::Type;

/// Arrays of NumPy, or on a GPU of CuPy, as heddle/_operator.py hands them over: of the matrix's
/// scalar, with strides above 0.
template <class S>
using Input = nb::ndarray<const S, Device>;
template <class S>
using Output = nb::ndarray<S, Device>;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, Device>;

template <class T>
using Vectors =
    Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The vectors of an array of one or two dimensions.
template <class T, class A>
Vectors<T> vectors_of(const A& array) {
  const bool several = array.ndim() == 2;
  const auto rows = array.shape(0), count = several ? array.shape(1) : 1;
  return Vectors<T>(array.data(), Kokkos::LayoutStride(rows, array.stride(0), count,
                                                       several ? array.stride(1) : rows));
}

/// The same of a contiguous vector.
template <class T>
Vectors<T> vectors_of(T* data, std::size_t rows) {
  return Vectors<T>(data, Kokkos::LayoutStride(rows, 1, 1, rows));
}

/// A CsrMatrix, and the arrays that it borrows, which live as long.
template <class S, class O>
struct Matrix {
  using Csr = CsrMatrix<S, int, O, Space>;

  Matrix(std::int64_t rows, std::int64_t columns, Array<O> row_ptr_array, Array<int> col_idx_array,
         Array<S> values_array)
      : row_ptr(std::move(row_ptr_array)),
        col_idx(std::move(col_idx_array)),
        values(std::move(values_array)),
        csr(rows, columns, borrow(row_ptr), borrow(col_idx), borrow(values)) {}

  Array<O> row_ptr;
  Array<int> col_idx;
  Array<S> values;
  Csr csr;

 private:
  template <class T>
  static auto borrow(const Array<T>& array) {
    return Kokkos::View<const T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(array.data(),
                                                                                  array.shape(0));
  }
};

/// As heddle/_operator.py numbers them: 1 for a transpose, 2 for conjugates, 3 for both.
inline Op op_of(int number) {
  constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose};
  return ops[number & 3];
}

/// What to prepare so that any transpose may be applied.
template <class S>
std::vector<Op> transposes() {
  if constexpr (std::is_floating_point_v<S>) {
    return {Op::transpose};
  } else {
    return {Op::transpose, Op::conjugate_transpose};
  }
}

}  // namespace heddle::python
