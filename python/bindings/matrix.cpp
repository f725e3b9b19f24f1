// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/string.h>

#include <heddle/matrix_market.hpp>

#include "bind.hpp"

namespace heddle::python {

namespace {

/// A copy on the host that NumPy owns: memory of Kokkos must not outlive Kokkos.
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

template <class Storage>
nb::tuple arrays_of(const Storage& storage) {
  return nb::make_tuple(storage.rows(), storage.columns(), copied(storage.row_ptr()),
                        copied(storage.col_idx()), copied(storage.values()));
}

template <class S, class O>
nb::tuple read(nb::bytes name, std::uint64_t max_bytes) {
  const std::string path(name.c_str(), name.size());
  const MatrixMarketOptions options{.max_bytes = max_bytes};
  return arrays_of(run([&](const Exec&) { return read_matrix_market<S, int, O>(path, options); }));
}

/// Arrays of a matrix in the Matrix Market text that a file object has read.
template <class S, class O>
nb::tuple parse(nb::bytes text, const std::string& name, std::uint64_t max_bytes) {
  const MatrixMarketOptions options{.max_bytes = max_bytes};
  const std::string_view view(text.c_str(), text.size());
  return arrays_of(
      run([&](const Exec&) { return parse_matrix_market<S, int, O>(view, name, options); }));
}

template <class S, class O>
void write(nb::bytes name, const Matrix<S, O>& A, const std::string& symmetry, bool pattern,
           const std::string& comment) {
  const std::string path(name.c_str(), name.size());
  MatrixMarketWriteOptions options;
  options.symmetry = detail::value_of<MatrixMarketSymmetry>("symmetry", symmetry);
  options.pattern = pattern;
  options.comment = comment;
  run([&](const Exec& exec) {
    exec.fence("heddle::python::write");  // the copies do not wait for other streams
    const Kokkos::HostSpace host;
    const auto row_ptr = Kokkos::create_mirror_view_and_copy(host, A.csr.row_ptr());
    const auto col_idx = Kokkos::create_mirror_view_and_copy(host, A.csr.col_idx());
    const auto values = Kokkos::create_mirror_view_and_copy(host, A.csr.values());
    write_matrix_market(path, CsrMatrix(A.csr.rows(), A.csr.columns(), row_ptr, col_idx, values),
                        options);
  });
}

}  // namespace

template <class S, class O>
void bind_matrix(nb::module_& m) {
  nb::class_<Matrix<S, O>>(m, "Matrix")
      .def(nb::init<std::int64_t, std::int64_t, Array<O>, Array<int>, Array<S>, nb::object>(),
           nb::arg(), nb::arg(), nb::arg().noconvert(), nb::arg().noconvert(),
           nb::arg().noconvert(), nb::arg());
  m.def("read_matrix_market", &read<S, O>);
  m.def("parse_matrix_market", &parse<S, O>);
  m.def("write_matrix_market", &write<S, O>);
}

HEDDLE_PYTHON_INSTANCES(bind_matrix)

}  // namespace heddle::python
