// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "operators.hpp"

namespace heddle::python {

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

/// What a solver runs by, if it has a choice.
template <class Solver>
std::string scheme_of(const Solver& solver) {
  if constexpr (HasScheme<Solver>) {
    return solver.scheme().to_string();
  } else {
    return {};
  }
}

/// A solver, whose memory is kept from one solve to the next.
template <class Solver, class S, class O>
class Krylov : public Holder<Solver> {
 public:
  Krylov(std::int64_t rows, KrylovOptions options)
      : Holder<Solver>(nullptr), rows_(rows), look_(std::make_shared<Look*>(nullptr)) {
    options.callback = [look = look_](int iterations, double residual) {
      return (**look)(iterations, residual);
    };
    history_ = options.history;
    this->set(run([&](const Exec& exec) { return std::make_unique<Solver>(exec, rows, options); }));
  }

  /// A and M are plans or functions f(x, y); M may be None.
  nb::tuple solve(nb::handle A, const Array<S>& b, const Output<S>& x, nb::handle M,
                  nb::handle callback) {
    Look look{callback};
    KrylovResult result;
    std::vector<double> history;
    std::string scheme;
    Solver& solver = this->plan();
    with_operator<S, O>(A, rows_, [&](auto&& matrix) {
      with_preconditioner<S, O>(M, rows_, [&](auto&& preconditioner) {
        run([&](const Exec& exec) {
          if (*look_ != nullptr) {
            throw Error("this solver is in the midst of a solve", "make another for the callback");
          }
          *look_ = &look;
          const std::shared_ptr<void> after(nullptr, [&](void*) { *look_ = nullptr; });
          using Vector = Kokkos::View<S*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
          using Const = Kokkos::View<const S*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
          result = solver.solve(exec, matrix, Const(b.data(), b.shape(0)),
                                Vector(x.data(), x.shape(0)), preconditioner);
          if (history_) history = solver.history(exec);
          scheme = scheme_of(solver);
        });
      });
    });
    return nb::make_tuple(static_cast<int>(result.outcome), name(result.outcome), result.iterations,
                          result.residual, result.first_residual, result.reference, history,
                          scheme);
  }

 private:
  std::int64_t rows_;
  std::shared_ptr<Look*> look_;  // of the solve that runs
  bool history_;
};

template <class Solver, class S, class O>
void bind_solver(nb::module_& m, const char* name) {
  using Kept = Krylov<Solver, S, O>;
  const nb::arg any;
  nb::class_<Kept>(m, name)
      .def(
          "__init__",
          [](Kept* self, std::int64_t rows, double relative_tolerance, double absolute_tolerance,
             int max_iterations, int check_every, bool zero_guess, bool history,
             std::optional<int> restart) {
            KrylovOptions options;
            options.relative_tolerance = relative_tolerance;
            options.absolute_tolerance = absolute_tolerance;
            options.max_iterations = max_iterations;
            options.check_every = check_every;
            options.zero_guess = zero_guess;
            options.history = history;
            options.restart = restart;
            new (self) Kept(rows, options);
          },
          any, any, any, any, any, any, any, nb::arg().none())
      .def("solve", &Kept::solve, any, nb::arg().noconvert(), nb::arg().noconvert(),
           nb::arg().none(), nb::arg().none())
      .def("bytes", [](const Kept& self) { return self.plan().bytes(); });
}

}  // namespace heddle::python
