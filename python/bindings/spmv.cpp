// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"

namespace heddle::python {

namespace {

/// A number in Python.
template <class S>
using Number = std::conditional_t<std::is_floating_point_v<S>, double, std::complex<double>>;
template <class S>
S scalar_of(Number<S> number) {
  if constexpr (std::is_floating_point_v<S>) {
    return static_cast<S>(number);
  } else {
    using Real = typename S::value_type;
    return S(static_cast<Real>(number.real()), static_cast<Real>(number.imag()));
  }
}

template <class S, class O>
Product<S, O>* make(nb::handle A, const SpmvOptions& given) {
  const SpmvOptions options = with_ops<S>(given);
  using Plan = typename Product<S, O>::Plan;
  KeptMatrix<S, O> matrix = kept<S, O>(A);
  auto plan = run(is_small(*matrix),
                  [&](const Exec& exec) { return std::make_unique<Plan>(exec, *matrix, options); });
  const bool complete = options.symmetry == Symmetry::none;
  return new Product<S, O>(std::move(plan), std::move(matrix), complete);
}

template <class S, class O>
void apply(const Product<S, O>& product, int op, Number<S> alpha, const Input<S>& x, Number<S> beta,
           const Output<S>& y) {
  auto& plan = product.plan();
  const auto from = vectors_of<const S>(x);
  const auto to = vectors_of<S>(y);
  run(product.small, [&](const Exec& exec) {
    plan.apply(exec, op_of(op), scalar_of<S>(alpha), from, scalar_of<S>(beta), to);
  });
}

template <class S, class O>
void update_values(Product<S, O>& product, nb::handle A) {
  auto& plan = product.plan();
  KeptMatrix<S, O> matrix = kept<S, O>(A);
  run(product.small, [&](const Exec& exec) {
    plan.update_values(exec, *matrix);
    product.matrix.swap(matrix);
  });
}

/// For each candidate: its line, the scheme, the numbers, why, and why not.
template <class S, class O>
nb::list ranking(const Product<S, O>& product, int op) {
  nb::list all;
  auto& plan = product.plan();
  for (const RankedScheme& one : in_turn([&] { return plan.ranking(op_of(op)); })) {
    const Prediction& predicted = one.prediction;
    all.append(nb::make_tuple(one.to_string(), one.scheme.to_string(), predicted.seconds,
                              predicted.setup_seconds, predicted.kept_bytes, one.measured_seconds,
                              predicted.reason, predicted.refusal));
  }
  return all;
}

}  // namespace

template <class S, class O>
void bind_spmv(nb::module_& m) {
  using Plan = Product<S, O>;
  nb::class_<Plan>(m, "SpmvPlan")
      .def("apply", &apply<S, O>, nb::arg(), nb::arg(), nb::arg().noconvert(), nb::arg(),
           nb::arg().noconvert())
      .def("prepare",
           [](const Plan& product, int op) {
             auto& plan = product.plan();
             run(product.small, [&](const Exec& exec) { plan.prepare(exec, op_of(op)); });
           })
      .def("update_values", &update_values<S, O>)
      .def("scheme",
           [](const Plan& product, int op) {
             return in_turn([&] { return product.plan().scheme(op_of(op)).to_string(); });
           })
      .def("reason",
           [](const Plan& product, int op) {
             return in_turn([&] { return std::string(product.plan().reason(op_of(op))); });
           })
      .def("ranking", &ranking<S, O>)
      .def("setup_seconds",
           [](const Plan& product) {
             return in_turn([&] { return product.plan().setup_seconds(); });
           })
      .def("bytes",
           [](const Plan& product) { return in_turn([&] { return product.plan().bytes(); }); });
  m.def("spmv_plan", &make<S, O>);
}

HEDDLE_PYTHON_INSTANCES(bind_spmv)

}  // namespace heddle::python
