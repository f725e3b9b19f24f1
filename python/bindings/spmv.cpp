// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind.hpp"

namespace heddle::python {

namespace {

Op op_of(bool transposed) { return transposed ? Op::transpose : Op::none; }

Product* make(const Matrix& A, const std::optional<std::string>& scheme,
              std::int64_t expected_applies, int vectors, bool transpose, bool values_in_place,
              std::optional<std::size_t> max_bytes, double measure_seconds) {
  SpmvOptions options;
  if (scheme) options.scheme = Scheme(*scheme);
  options.expected_applies = expected_applies;
  options.vectors = {.count = vectors, .apart = false};
  if (transpose) options.ops = {Op::transpose};
  options.values_in_place = values_in_place;
  if (max_bytes) options.max_bytes = *max_bytes;
  options.measure_seconds = measure_seconds;
  auto plan =
      run([&](const Exec& exec) { return std::make_unique<Product::Plan>(exec, A.csr, options); });
  return new Product(std::move(plan), A.csr);
}

void apply(const Product& product, bool transposed, double alpha, const Input& x, double beta,
           const Output& y) {
  Product::Plan& plan = product.plan();
  const auto from = vectors_of<const double>(x);
  const auto to = vectors_of<double>(y);
  run([&](const Exec& exec) { plan.apply(exec, op_of(transposed), alpha, from, beta, to); });
}

void update_values(Product& product, const Matrix& A) {
  Product::Plan& plan = product.plan();
  run([&](const Exec& exec) { plan.update_values(exec, A.csr); });
  product.matrix = A.csr;
}

std::vector<std::string> ranking(const Product& product, bool transposed) {
  std::vector<std::string> lines;
  for (const RankedScheme& one : product.plan().ranking(op_of(transposed))) {
    lines.push_back(one.to_string());
  }
  return lines;
}

}  // namespace

void bind_spmv(nb::module_& m) {
  nb::class_<Product>(m, "SpmvPlan")
      .def("apply", &apply, nb::arg(), nb::arg(), nb::arg().noconvert(), nb::arg(),
           nb::arg().noconvert())
      .def("prepare_transpose",
           [](const Product& product) {
             Product::Plan& plan = product.plan();
             run([&](const Exec& exec) { plan.prepare(exec, Op::transpose); });
           })
      .def("update_values", &update_values)
      .def("scheme",
           [](const Product& product, bool transposed) {
             return product.plan().scheme(op_of(transposed)).to_string();
           })
      .def("reason", [](const Product& product,
                        bool transposed) { return product.plan().reason(op_of(transposed)); })
      .def("ranking", &ranking)
      .def("setup_seconds", [](const Product& product) { return product.plan().setup_seconds(); })
      .def("bytes", [](const Product& product) { return product.plan().bytes(); });
  m.def("spmv_plan", &make, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg());
}

}  // namespace heddle::python
