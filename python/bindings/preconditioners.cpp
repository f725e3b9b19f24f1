// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/string.h>

#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/sptrsv.hpp>

#include "bind.hpp"
#include "preconditioner.hpp"

namespace heddle::python {

namespace {

template <class P, class S, class O, class Options>
Preconditioner<S, O>* make_plan(const Matrix<S, O>& A, const Options& options) {
  return make<P, S, O>(A.csr, with_ops<S>(options));
}

template <class S, class O>
void apply(Preconditioner<S, O>& plan, int op, const Input<S>& b, const Output<S>& x) {
  const auto from = vectors_of<const S>(b);
  const auto to = vectors_of<S>(x);
  run(plan.small, [&](const Exec& exec) { plan.apply(exec, op_of(op), from, to); });
}

}  // namespace

template <class S, class O>
void bind_preconditioners(nb::module_& m) {
  using Plan = Preconditioner<S, O>;
  using Csr = typename Matrix<S, O>::Csr;
  nb::class_<Plan>(m, "Preconditioner")
      .def("apply", &apply<S, O>, nb::arg(), nb::arg().noconvert(), nb::arg().noconvert())
      .def("prepare",
           [](Plan& plan, int op) {
             run(plan.small, [&](const Exec& exec) { plan.prepare(exec, op_of(op)); });
           })
      .def("update_values",
           [](Plan& plan, const Matrix<S, O>& A) {
             run(plan.small, [&](const Exec& exec) { plan.update_values(exec, A.csr); });
           })
      .def("scheme", [](const Plan& plan) { return in_turn([&] { return plan.scheme(); }); })
      .def("setup_seconds",
           [](const Plan& plan) { return in_turn([&] { return plan.setup_seconds(); }); })
      .def("bytes", [](const Plan& plan) { return in_turn([&] { return plan.bytes(); }); });
  m.def("sptrsv_plan", &make_plan<SptrsvPlan<Exec, Csr>, S, O, SptrsvOptions>);
  m.def("gauss_seidel_plan", &make_plan<GaussSeidelPlan<Exec, Csr>, S, O, GaussSeidelOptions>);
  m.def("ilu_plan", &make_plan<IluPlan<Exec, Csr>, S, O, IluOptions>);
  m.def("ic_plan", &make_plan<IcPlan<Exec, Csr>, S, O, IluOptions>);
}

HEDDLE_PYTHON_INSTANCES(bind_preconditioners)

}  // namespace heddle::python
