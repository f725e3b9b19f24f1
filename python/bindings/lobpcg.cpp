// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <heddle/lobpcg.hpp>

#include "krylov.hpp"
#include "operators.hpp"

namespace heddle::python {

namespace {

/// A plan's product or a Python function, as one type, so that fewer searches are compiled.
template <class S, class O>
struct AnyOperator {
  GivenOperator<S, O> given;
  std::int64_t size;
  static constexpr bool takes_several_vectors = true;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    if (given.plan != nullptr) return given.plan->plan().apply(exec, S(1), x, S(0), y);
    if constexpr (X::rank() == 1) {
      Function<S>{given.object, size}.apply(exec, x, y);
    } else {
      for (std::size_t j = 0; j < x.extent(1); ++j) {
        Function<S>{given.object, size}.apply(exec, Kokkos::subview(x, Kokkos::ALL, j),
                                              Kokkos::subview(y, Kokkos::ALL, j));
      }
    }
  }
  std::int64_t rows() const { return size; }
  std::int64_t columns() const { return size; }
};

/// Eigenpairs of A x = lambda B x, started from the guess in x, a column each, which the
/// eigenvectors overwrite. M, B and constraints may be None.
template <class S, class O>
nb::tuple lobpcg(nb::handle A, const Output<S>& x, nb::handle M, nb::handle B,
                 const std::optional<Input<S>>& constraints, LobpcgOptions options,
                 nb::handle callback) {
  options.count = static_cast<int>(x.shape(1));
  options.generalized = !B.is_none();
  options.constraints = constraints ? static_cast<int>(constraints->shape(1)) : 0;
  Look look{callback};
  options.callback = [&](int iterations, double residual) { return look(iterations, residual); };
  const auto rows = static_cast<std::int64_t>(x.shape(0));
  const auto vectors = vectors_of<S>(x);
  const AnyOperator<S, O> matrix{GivenOperator<S, O>(A), rows}, mass{GivenOperator<S, O>(B), rows};
  const GivenPreconditioner<S, O> given(M);
  const bool small = matrix.given.is_small() && mass.given.is_small() && given.is_small();
  LobpcgResult result;
  run(small, [&](const Exec& exec) {
    LobpcgSolver<Exec, S> solver(exec, rows, options);
    with_preconditioner<S, O>(given, rows, [&](auto&& preconditioner) {
      const auto solve = [&](auto&&... more) {
        result = solver.solve(exec, matrix, vectors, preconditioner, more...);
      };
      if (constraints) {
        const auto known = vectors_of<const S>(*constraints);
        options.generalized ? solve(mass, known) : solve(NoMassMatrix(), known);
      } else {
        options.generalized ? solve(mass) : solve(NoMassMatrix());
      }
    });
  });
  std::vector<double> values, residuals, errors;
  for (const Eigenpair& pair : result.pairs) {
    values.push_back(pair.value);
    residuals.push_back(pair.residual);
    errors.push_back(pair.error);
  }
  return nb::make_tuple(result.converged(), name(result.outcome), result.iterations, values,
                        residuals, errors, result.scale, result.history);
}

}  // namespace

template <class S, class O>
void bind_lobpcg(nb::module_& m) {
  const nb::arg any;
  m.def("lobpcg", &lobpcg<S, O>, any, nb::arg().noconvert(), nb::arg().none(), nb::arg().none(),
        nb::arg().noconvert().none(), any, nb::arg().none());
}

HEDDLE_PYTHON_INSTANCES(bind_lobpcg)

}  // namespace heddle::python
