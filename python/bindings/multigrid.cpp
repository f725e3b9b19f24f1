// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>

#include <heddle/multigrid.hpp>
#include <optional>

#include "bind.hpp"
#include "preconditioner.hpp"

namespace heddle::python {

namespace {

template <class S, class O>
Preconditioner<S, O>* make_multigrid(const Matrix<S, O>& A, const MultigridOptions& options,
                                     const std::optional<Input<S>>& near_nullspace) {
  using Plan = MultigridPlan<Exec, typename Matrix<S, O>::Csr>;
  if (!near_nullspace) return make<Plan, S, O>(A.csr, options);
  return make<Plan, S, O>(A.csr, vectors_of<const S>(*near_nullspace), options);
}

}  // namespace

template <class S, class O>
void bind_multigrid(nb::module_& m) {
  m.def("multigrid_plan", &make_multigrid<S, O>, nb::arg(), nb::arg(), nb::arg().none());
}

HEDDLE_PYTHON_INSTANCES(bind_multigrid)

}  // namespace heddle::python
