// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/sptrsv.hpp>
#include <optional>

#include "bind.hpp"
#include "preconditioner.hpp"

namespace heddle::python {

namespace {

template <class S, class O>
Preconditioner<S, O>* make_sptrsv(const Matrix<S, O>& T, bool lower, bool unit_diagonal,
                                  bool ignore_outside, std::int64_t expected_applies,
                                  const Word& scheme, int vectors, bool transpose) {
  SptrsvOptions options;
  options.triangle = lower ? Triangle::lower : Triangle::upper;
  options.diagonal = unit_diagonal ? Diagonal::unit : Diagonal::stored;
  options.ignore_outside = ignore_outside;
  options.expected_applies = expected_applies;
  options.scheme = scheme_of(scheme);
  options.vectors = {.count = vectors, .apart = false};
  if (transpose) options.ops = transposes<S>();
  return make<SptrsvPlan<Exec, typename Matrix<S, O>::Csr>, S, O>(T.csr, options);
}

template <class S, class O>
Preconditioner<S, O>* make_gauss_seidel(const Matrix<S, O>& A, const std::string& sweep,
                                        double omega, const std::string& order, int block_size,
                                        std::int64_t expected_applies, const Word& scheme,
                                        int vectors) {
  GaussSeidelOptions options;
  options.sweep = detail::value_of<SweepDirection>("sweep", sweep);
  options.omega = omega;
  options.order = detail::value_of<GaussSeidelOrder>("order", order);
  options.block_size = block_size;
  options.expected_applies = expected_applies;
  options.scheme = scheme_of(scheme);
  options.vectors = {.count = vectors, .apart = false};
  return make<GaussSeidelPlan<Exec, typename Matrix<S, O>::Csr>, S, O>(A.csr, options);
}

template <class P, class S, class O>
Preconditioner<S, O>* make_factors(const Matrix<S, O>& A, int fill_level, double pivot_floor,
                                   int retries, int block_size, int subdomains,
                                   bool single_precision, std::int64_t expected_applies,
                                   const Word& scheme, int vectors, bool transpose) {
  IluOptions options;
  options.fill_level = fill_level;
  options.pivot_floor = pivot_floor;
  options.retries = retries;
  options.block_size = block_size;
  options.subdomains = subdomains;
  if (single_precision) options.factor_values = FactorValues::single_precision;
  options.expected_applies = expected_applies;
  options.scheme = scheme_of(scheme);
  options.vectors = {.count = vectors, .apart = false};
  if (transpose) options.ops = transposes<S>();
  return make<P, S, O>(A.csr, options);
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
  const nb::arg any;
  m.def("sptrsv_plan", &make_sptrsv<S, O>, any, any, any, any, any, nb::arg().none(), any, any);
  m.def("gauss_seidel_plan", &make_gauss_seidel<S, O>, any, any, any, any, any, any,
        nb::arg().none(), any);
  m.def("ilu_plan", &make_factors<IluPlan<Exec, Csr>, S, O>, any, any, any, any, any, any, any, any,
        nb::arg().none(), any, any);
  m.def("ic_plan", &make_factors<IcPlan<Exec, Csr>, S, O>, any, any, any, any, any, any, any, any,
        nb::arg().none(), any, any);
}

HEDDLE_PYTHON_INSTANCES(bind_preconditioners)

}  // namespace heddle::python
