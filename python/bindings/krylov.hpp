// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <vector>

#include "bind.hpp"
#include "preconditioner.hpp"
#include "spmv.hpp"

namespace heddle::python {

/// A function f(x, y) of Python, which writes to y, as an operator or a preconditioner. x is a
/// copy, so that it may be kept; y is the solver's own memory.
struct Function {
  nb::handle function;
  std::int64_t size;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    exec.fence("heddle::python::function");
    const nb::gil_scoped_acquire gil;
    using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
    const std::size_t rows = x.extent(0);
    const Vector from(const_cast<double*>(x.data()), {rows});
    const Vector to(y.data(), {rows});
    function(nb::cast(from, nb::rv_policy::copy), nb::cast(to, nb::rv_policy::reference));
  }
  std::int64_t rows() const { return size; }
  std::int64_t columns() const { return size; }
};

/// When the host checks: ends a solve where a signal's handler throws, as of KeyboardInterrupt, and
/// calls the user's function. Signals are asked for 20 times a second, since to get the GIL may
/// take milliseconds.
struct Look {
  nb::handle callback;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();

  bool operator()(int iterations, double residual) {
    const auto now = std::chrono::steady_clock::now();
    const bool ask = now - last > std::chrono::milliseconds(50);
    if (!ask && callback.is_none()) return true;
    const nb::gil_scoped_acquire gil;
    if (ask) {
      last = now;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return callback.is_none() || !callback(iterations, residual).is(nb::bool_(false));
  }
};

/// What a solve came to, as heddle/_krylov.py reads it.
struct Solved {
  KrylovResult result;
  std::vector<double> history;
  std::string scheme;
};

template <class Solver, class A, class M>
Solved solve_with(const KrylovOptions& options, A& matrix, const Array<double>& b, const Output& x,
                  M&& preconditioner) {
  using Vector = Kokkos::View<double*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Const = Kokkos::View<const double*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return run([&](const Exec& exec) {
    Solver solver(exec, static_cast<std::int64_t>(b.shape(0)), options);
    Solved solved;
    solved.result = solver.solve(exec, matrix, Const(b.data(), b.shape(0)),
                                 Vector(x.data(), x.shape(0)), preconditioner);
    if (options.history) solved.history = solver.history(exec);
    if constexpr (requires { solver.scheme(); }) solved.scheme = solver.scheme().to_string();
    return solved;
  });
}

template <class Solver, class A>
Solved solve_operator(const KrylovOptions& options, A& matrix, const Array<double>& b,
                      const Output& x, nb::handle M) {
  Preconditioner* plan = nullptr;
  if (M.is_none()) return solve_with<Solver>(options, matrix, b, x, NoPreconditioner());
  if (nb::try_cast(M, plan)) {
    return solve_with<Solver>(options, matrix, b, x, AnyPreconditioner{plan});
  }
  return solve_with<Solver>(options, matrix, b, x,
                            Function{M, static_cast<std::int64_t>(b.shape(0))});
}

/// A and M are plans or functions f(x, y); M may be None.
template <class Solver>
nb::tuple solve(nb::handle A, const Array<double>& b, const Output& x, nb::handle M,
                double relative_tolerance, double absolute_tolerance, int max_iterations,
                int check_every, bool zero_guess, bool history, nb::handle callback,
                std::optional<int> restart) {
  KrylovOptions options;
  options.relative_tolerance = relative_tolerance;
  options.absolute_tolerance = absolute_tolerance;
  options.max_iterations = max_iterations;
  options.check_every = check_every;
  options.zero_guess = zero_guess;
  options.history = history;
  options.callback = Look{callback};
  options.restart = restart;
  Solved solved;
  if (Product* product = nullptr; nb::try_cast(A, product)) {
    const auto matrix = with_rows(product->plan(), product->matrix);
    solved = solve_operator<Solver>(options, matrix, b, x, M);
  } else {
    Function function{A, static_cast<std::int64_t>(b.shape(0))};
    solved = solve_operator<Solver>(options, function, b, x, M);
  }
  const KrylovResult& result = solved.result;
  return nb::make_tuple(static_cast<int>(result.outcome), name(result.outcome), result.iterations,
                        result.residual, result.first_residual, result.reference, solved.history,
                        solved.scheme);
}

template <class Solver>
void bind_solver(nb::module_& m, const char* name) {
  const nb::arg any;
  m.def(name, &solve<Solver>, any, nb::arg().noconvert(), nb::arg().noconvert(), nb::arg().none(),
        any, any, any, any, any, any, nb::arg().none(), nb::arg().none());
}

}  // namespace heddle::python
