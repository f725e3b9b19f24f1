// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <heddle/multigrid.hpp>

#include "bind.hpp"
#include "preconditioner.hpp"

namespace heddle::python {

namespace {

template <class S, class O>
Preconditioner<S, O>* make_multigrid(const Matrix<S, O>& A, std::optional<Input<S>> near_nullspace,
                                     double strength, int block_size, const std::string& smoother,
                                     int degree, int coarsest_rows, int max_levels,
                                     double max_operator_complexity, double symmetry_tolerance,
                                     std::optional<std::size_t> max_bytes,
                                     std::int64_t expected_applies, int vectors) {
  MultigridOptions options;
  options.strength = strength;
  options.block_size = block_size;
  options.smoother = detail::value_of<MultigridSmoother>("smoother", smoother);
  options.degree = degree;
  options.coarsest_rows = coarsest_rows;
  options.max_levels = max_levels;
  options.max_operator_complexity = max_operator_complexity;
  options.symmetry_tolerance = symmetry_tolerance;
  options.max_bytes = max_bytes.value_or(no_bound);
  options.expected_applies = expected_applies;
  options.vectors = {.count = vectors, .apart = false};
  using Plan = MultigridPlan<Exec, typename Matrix<S, O>::Csr>;
  if (!near_nullspace) return make<Plan, S, O>(A.csr, options);
  return make<Plan, S, O>(A.csr, vectors_of<const S>(*near_nullspace), options);
}

}  // namespace

template <class S, class O>
void bind_multigrid(nb::module_& m) {
  const nb::arg any;
  m.def("multigrid_plan", &make_multigrid<S, O>, any, nb::arg().none(), any, any, any, any, any,
        any, any, any, nb::arg().none(), any, any);
}

HEDDLE_PYTHON_INSTANCES(bind_multigrid)

}  // namespace heddle::python
