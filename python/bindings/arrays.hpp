// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/ndarray.h>

#include <heddle/matrix.hpp>

#include "runtime.hpp"

namespace heddle::python {

/// NumPy arrays as heddle/_arrays.py hands them over: of these types, with strides above 0.
using Input = nb::ndarray<const double, nb::device::cpu>;
using Output = nb::ndarray<double, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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
struct Matrix {
  using Csr = CsrMatrix<double, int, int, Space>;

  Matrix(std::int64_t rows, std::int64_t columns, Array<int> row_ptr_array,
         Array<int> col_idx_array, Array<double> values_array);

  Array<int> row_ptr, col_idx;
  Array<double> values;
  Csr csr;
};

}  // namespace heddle::python
