// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <heddle/matrix.hpp>

#include "../../backends/stream.hpp"
#include "runtime.hpp"

/// Maps complex numbers to NumPy's type.
template <class T>
struct nanobind::ndarray_traits<Kokkos::complex<T>> {
  static constexpr bool is_complex = true;
  static constexpr bool is_float = false;
  static constexpr bool is_bool = false;
  static constexpr bool is_int = false;
  static constexpr bool is_signed = true;
};

namespace heddle::python {

/// An array that heddle/_gpu.py passes: address, shape, and strides in bytes, for one of its
/// dtypes. They cost a fraction of DLPack, which also does not support managed memory.
template <class T>
class Numbers {
 public:
  bool read(PyObject* given) noexcept {
    if (!PyTuple_Check(given) || PyTuple_Size(given) != 3) return false;
    PyObject *const shape = PyTuple_GetItem(given, 1), *const strides = PyTuple_GetItem(given, 2);
    if (!PyTuple_Check(shape) || !PyTuple_Check(strides)) return false;
    dimensions_ = static_cast<std::size_t>(PyTuple_Size(shape));
    data_ = static_cast<T*>(PyLong_AsVoidPtr(PyTuple_GetItem(given, 0)));
    for (std::size_t i = 0; i < std::min<std::size_t>(dimensions_, 2); ++i) {
      const auto at = static_cast<Py_ssize_t>(i);
      shape_[i] = PyLong_AsSize_t(PyTuple_GetItem(shape, at));
      strides_[i] = PyLong_AsSsize_t(PyTuple_GetItem(strides, at)) / Py_ssize_t{sizeof(T)};
    }
    if (PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    return false;
  }
  T* data() const { return data_; }
  std::size_t ndim() const { return dimensions_; }
  std::size_t shape(std::size_t i) const { return shape_[i]; }
  std::int64_t stride(std::size_t i) const { return strides_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t dimensions_ = 0, shape_[2] = {};
  Py_ssize_t strides_[2] = {};
};

}  // namespace heddle::python

template <class T>
struct nanobind::detail::type_caster<heddle::python::Numbers<T>> {
  NB_TYPE_CASTER(heddle::python::Numbers<T>, const_name("tuple"))
  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    return value.read(source.ptr());
  }
};

namespace heddle::python {

/// nanobind's type for the device of Exec's arrays.
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

/// Arrays of NumPy, or on a GPU of CuPy, as heddle/_operator.py passes them: with the matrix's
/// scalar type, and strides above 0.
template <class S>
using Input = std::conditional_t<on_host, nb::ndarray<const S, Device>, Numbers<const S>>;
template <class S>
using Output = std::conditional_t<on_host, nb::ndarray<S, Device>, Numbers<S>>;
template <class T>
using Array = std::conditional_t<on_host, nb::ndarray<const T, nb::ndim<1>, nb::c_contig, Device>,
                                 Numbers<const T>>;

template <class T>
using Vectors =
    Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The vectors of an array of one or two dimensions.
template <class T, class A>
Vectors<T> vectors_of(const A& array) {
  if (array.ndim() != 1 && array.ndim() != 2) {
    throw Error("the array has " + std::to_string(array.ndim()) + " dimensions",
                "give 1, or 2 with a column for each vector");
  }
  const bool several = array.ndim() == 2;
  const auto rows = array.shape(0), count = several ? array.shape(1) : 1;
  return Vectors<T>(array.data(), Kokkos::LayoutStride(rows, array.stride(0), count,
                                                       several ? array.stride(1) : rows));
}

/// The vectors of a contiguous array of one dimension.
template <class T>
Vectors<T> vectors_of(T* data, std::size_t rows) {
  return Vectors<T>(data, Kokkos::LayoutStride(rows, 1, 1, rows));
}

/// A CsrMatrix, and the arrays that it borrows, which live as long as it.
template <class S, class O>
struct Matrix {
  using Csr = CsrMatrix<S, int, O, Space>;

  Matrix(std::int64_t rows, std::int64_t columns, Array<O> row_ptr_array, Array<int> col_idx_array,
         Array<S> values_array, nb::object that_own_them)
      : arrays(std::move(that_own_them)),
        row_ptr(std::move(row_ptr_array)),
        col_idx(std::move(col_idx_array)),
        values(std::move(values_array)),
        csr(rows, columns, borrow(row_ptr), borrow(col_idx), borrow(values)) {}

  nb::object arrays;
  Array<O> row_ptr;
  Array<int> col_idx;
  Array<S> values;
  Csr csr;

 private:
  template <class A>
  static auto borrow(const A& array) {
    using T = std::remove_pointer_t<decltype(array.data())>;
    return Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(array.data(),
                                                                            array.shape(0));
  }
};

/// The CsrMatrix of a Python object, which lives as long as this pointer.
template <class S, class O>
using KeptMatrix = std::shared_ptr<const typename Matrix<S, O>::Csr>;
template <class S, class O>
KeptMatrix<S, O> kept(nb::handle A) {
  return {&nb::cast<const Matrix<S, O>&>(A).csr, [object = A.inc_ref().ptr()](const void*) {
            const nb::gil_scoped_acquire gil;
            nb::handle(object).dec_ref();
          }};
}
template <class Csr>
bool is_small(const Csr& A) {
  return is_small(A.rows() + A.columns(), static_cast<std::int64_t>(A.nonzeros()));
}

/// Op by its number in heddle/_operator.py: 1 for a transpose, 2 for conjugates, 3 for both.
inline Op op_of(int number) {
  constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose};
  return ops[number & 3];
}

/// The options, whose ops, if there are any, become those with which every transpose is applied.
template <class S, class Options>
Options with_ops(Options options) {
  if constexpr (requires { options.ops; }) {
    if (!options.ops.empty()) options.ops = {Op::transpose};
    if (!options.ops.empty() && is_complex<S>) options.ops.push_back(Op::conjugate_transpose);
  }
  return options;
}

}  // namespace heddle::python
