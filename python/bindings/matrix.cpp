// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/string.h>

#include <heddle/matrix_market.hpp>

#include "bind.hpp"

namespace heddle::python {

namespace {

template <class T>
auto borrow(const Array<T>& array) {
  return Kokkos::View<const T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(array.data(),
                                                                                array.shape(0));
}

/// A copy that NumPy owns: what Kokkos allocated may not outlive it.
template <class View>
nb::object copied(const View& view) {
  using T = typename View::non_const_value_type;
  const std::size_t size = view.extent(0);
  auto memory = std::make_unique<T[]>(size);
  std::copy_n(view.data(), size, memory.get());
  T* const data = memory.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

MatrixMarketSymmetry symmetry_of(const std::string& word) {
  for (const auto one : {MatrixMarketSymmetry::general, MatrixMarketSymmetry::symmetric,
                         MatrixMarketSymmetry::skew_symmetric}) {
    if (word == name(one)) return one;
  }
  throw Error("symmetry is '" + word + "'", "give 'general', 'symmetric' or 'skew-symmetric'");
}

nb::tuple read(const std::string& path) {
  const auto storage = run([&](const Exec&) { return read_matrix_market(path); });
  return nb::make_tuple(storage.rows(), storage.columns(), copied(storage.row_ptr()),
                        copied(storage.col_idx()), copied(storage.values()));
}

void write(const std::string& path, const Matrix& A, const std::string& symmetry, bool pattern,
           const std::string& comment) {
  MatrixMarketWriteOptions options;
  options.symmetry = symmetry_of(symmetry);
  options.pattern = pattern;
  options.comment = comment;
  run([&](const Exec&) { write_matrix_market(path, A.csr, options); });
}

}  // namespace

Matrix::Matrix(std::int64_t rows, std::int64_t columns, Array<int> row_ptr_array,
               Array<int> col_idx_array, Array<double> values_array)
    : row_ptr(std::move(row_ptr_array)),
      col_idx(std::move(col_idx_array)),
      values(std::move(values_array)),
      csr(rows, columns, borrow(row_ptr), borrow(col_idx), borrow(values)) {}

void bind_matrix(nb::module_& m) {
  nb::class_<Matrix>(m, "Matrix")
      .def(nb::init<std::int64_t, std::int64_t, Array<int>, Array<int>, Array<double>>(), nb::arg(),
           nb::arg(), nb::arg().noconvert(), nb::arg().noconvert(), nb::arg().noconvert());
  m.def("read_matrix_market", &read);
  m.def("write_matrix_market", &write);
}

}  // namespace heddle::python
