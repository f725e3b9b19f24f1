// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>

#include <heddle/multigrid.hpp>
#include <optional>

#include "bind.hpp"
#include "preconditioner.hpp"

namespace heddle::python {

namespace {

MultigridKind kind_of(const std::string& kind) {
  if (kind == "automatic") return MultigridKind::automatic;
  if (kind == "smoothed") return MultigridKind::smoothed_aggregation;
  if (kind == "plain") return MultigridKind::plain_aggregation;
  throw Error("kind is '" + kind + "'", "give 'automatic', 'smoothed' or 'plain'");
}

MultigridCycle cycle_of(const std::string& cycle) {
  if (cycle == "v") return MultigridCycle::v;
  if (cycle == "w") return MultigridCycle::w;
  if (cycle == "k") return MultigridCycle::k;
  throw Error("cycle is '" + cycle + "'", "give 'v', 'w' or 'k'");
}

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
