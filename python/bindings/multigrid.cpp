// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <heddle/multigrid.hpp>

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
Preconditioner<S, O>* make_multigrid(const Matrix<S, O>& A, std::optional<Input<S>> near_nullspace,
                                     double strength, const std::string& strength_measure,
                                     std::optional<int> improve_candidates, int block_size,
                                     const std::string& smoother, int degree, int coarsest_rows,
                                     int max_levels, double max_operator_complexity,
                                     double symmetry_tolerance,
                                     std::optional<std::size_t> max_bytes,
                                     std::int64_t expected_applies, int expected_solves,
                                     int vectors) {
  MultigridOptions options;
  options.kind = kind_of(kind);
  options.cycle = cycle_of(cycle);
  options.strength = strength;
  if (strength_measure == "magnitude") {
    options.strength_measure = MultigridMeasure::magnitude;
  } else if (strength_measure == "evolution") {
    options.strength_measure = MultigridMeasure::evolution;
  } else if (strength_measure != "automatic") {
    throw Error("strength_measure is '" + strength_measure + "'",
                "give 'automatic', 'magnitude' or 'evolution'");
  }
  options.improve_candidates = improve_candidates.value_or(-1);
  options.block_size = block_size;
  if (smoother == "block-chebyshev") {
    options.smoother = MultigridSmoother::block_chebyshev;
  } else if (smoother == "l1-jacobi") {
    options.smoother = MultigridSmoother::l1_jacobi;
  } else if (smoother != "chebyshev") {
    throw Error("smoother is '" + smoother + "'",
                "give 'chebyshev', 'block-chebyshev' or 'l1-jacobi'");
  }
  options.degree = degree;
  options.coarsest_rows = coarsest_rows;
  options.max_levels = max_levels;
  options.max_operator_complexity = max_operator_complexity;
  options.symmetry_tolerance = symmetry_tolerance;
  options.max_bytes = max_bytes.value_or(no_bound);
  options.expected_applies = expected_applies;
  options.expected_solves = expected_solves;
  options.vectors = {.count = vectors, .apart = false};
  using Plan = MultigridPlan<Exec, typename Matrix<S, O>::Csr>;
  if (!near_nullspace) return make<Plan, S, O>(A.csr, options);
  return make<Plan, S, O>(A.csr, vectors_of<const S>(*near_nullspace), options);
}

}  // namespace

template <class S, class O>
void bind_multigrid(nb::module_& m) {
  const nb::arg any;
  m.def("multigrid_plan", &make_multigrid<S, O>, any, nb::arg().none(), any, any, nb::arg().none(),
        any, any, any, any, any, any, any, nb::arg().none(), any, any);
}

HEDDLE_PYTHON_INSTANCES(bind_multigrid)

}  // namespace heddle::python
