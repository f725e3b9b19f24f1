// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <heddle/lobpcg.hpp>
#include <heddle/solvers/vectors/definitions.hpp>  // sums of float are double: of no compiled part

#include "bind.hpp"
#include "operators.hpp"

namespace heddle::python {

namespace {

/// Eigenpairs from the guess in x, a column each, where the vectors are left.
template <class S, class O>
nb::tuple lobpcg(nb::handle A, const Output<S>& x, nb::handle M, bool largest,
                 std::optional<double> tolerance, int max_iterations) {
  LobpcgOptions options;
  options.count = static_cast<int>(x.shape(1));
  options.wanted = largest ? Wanted::largest : Wanted::smallest;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  const auto rows = static_cast<std::int64_t>(x.shape(0));
  const auto vectors = vectors_of<S>(x);
  LobpcgResult result;
  with_operator<S, O>(A, rows, [&](auto&& matrix) {
    with_preconditioner<S, O>(M, rows, [&](auto&& preconditioner) {
      run([&](const Exec& exec) {
        LobpcgSolver<Exec, S> solver(exec, rows, options);
        result = solver.solve(exec, matrix, vectors, preconditioner);
      });
    });
  });
  std::vector<double> values, residuals;
  for (const Eigenpair& pair : result.pairs) {
    values.push_back(pair.value);
    residuals.push_back(pair.residual);
  }
  return nb::make_tuple(result.converged(), name(result.outcome), result.iterations, values,
                        residuals, result.scale, result.history);
}

}  // namespace

template <class S, class O>
void bind_lobpcg(nb::module_& m) {
  const nb::arg any;
  m.def("lobpcg", &lobpcg<S, O>, any, nb::arg().noconvert(), nb::arg().none(), any,
        nb::arg().none(), any);
}

HEDDLE_PYTHON_INSTANCES(bind_lobpcg)

}  // namespace heddle::python
