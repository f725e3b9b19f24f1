// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bind.hpp"
#include "operators.hpp"

namespace heddle::python {

/// Called when the host checks: ends a solve if a signal's handler throws, as for
/// KeyboardInterrupt, and calls the user's function, after `before`. It checks for signals 20 times
/// a second, since to acquire the GIL may take milliseconds.
struct Look {
  nb::handle callback;
  std::function<void()> before = [] {};
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();

  bool operator()(int iterations, double residual) {
    const auto now = std::chrono::steady_clock::now();
    const bool ask = now - last > std::chrono::milliseconds(50);
    if (!ask && callback.is_none()) return true;
    if (!callback.is_none()) before();
    const IntoPython python;
    if (ask) {
      last = now;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return callback.is_none() || !callback(iterations, residual).is(nb::bool_(false));
  }
};

/// Whether a solver runs. Held is made for a solve, with the GIL: other threads wait for its end,
/// but a callback of that solve cannot, so that it throws.
class Use {
 public:
  class Held {
   public:
    explicit Held(Use& of) : of_(of) {
      if (of.by_ == std::this_thread::get_id()) {
        throw Error("this solver runs another solve", "make another for the callback");
      }
      {
        const nb::gil_scoped_release without_gil;
        of.mutex_.lock();
      }
      of.by_ = std::this_thread::get_id();
    }
    ~Held() {
      of_.by_ = {};
      of_.mutex_.unlock();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    Use& of_;
  };

 private:
  std::mutex mutex_;
  std::thread::id by_;
};

/// Scheme of a solver, or an empty text if it has no choice.
template <class Solver>
std::string scheme_of(const Solver& solver) {
  if constexpr (HasScheme<Solver>) {
    return solver.scheme().to_string();
  } else {
    return {};
  }
}

/// A solver that keeps its memory from one solve to the next.
template <class Solver, class S, class O>
class Krylov : public Holder<Solver> {
 public:
  Krylov(std::int64_t rows, KrylovOptions options)
      : Holder<Solver>(nullptr), rows_(rows), look_(std::make_shared<Look*>(nullptr)) {
    options.callback = [look = look_](int iterations, double residual) {
      return (**look)(iterations, residual);
    };
    history_ = options.history;
    this->set(run(is_small(rows, 0),
                  [&](const Exec& exec) { return std::make_unique<Solver>(exec, rows, options); }));
  }

  /// A and M are plans or functions f(x, y); M may be None. The callback is f(iterations,
  /// residual), and finds the current solution in x if `asks_for_x`.
  nb::tuple solve(nb::handle A, const Array<S>& b, const Output<S>& x, nb::handle M,
                  nb::handle callback, bool asks_for_x) {
    Look look{callback};
    KrylovResult result;
    std::vector<double> history;
    std::string scheme;
    Solver& solver = this->plan();
    GivenOperator<S, O> matrix(A);
    const GivenPreconditioner<S, O> preconditioner(M);
    const Use::Held mine(use_);
    run(matrix.is_small() && preconditioner.is_small(), [&](const Exec& exec) {
      *look_ = &look;
      const std::shared_ptr<void> after(nullptr, [&](void*) { *look_ = nullptr; });
      using Vector = Kokkos::View<S*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      using Const = Kokkos::View<const S*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      const Vector solution(x.data(), x.shape(0));
      if (asks_for_x) {
        look.before = [&] {
          solver.solution_so_far(exec, solution);
          if constexpr (on_host) exec.fence("heddle::python::solution_so_far");
        };
      }
      with_operator<S, O>(matrix, rows_, [&](auto&& with) {
        with_preconditioner<S, O>(preconditioner, rows_, [&](auto&& by) {
          result = solver.solve(exec, with, Const(b.data(), b.shape(0)), solution, by);
        });
      });
      if (history_) history = solver.history(exec);
      scheme = scheme_of(solver);
    });
    return nb::make_tuple(static_cast<int>(result.outcome), name(result.outcome), result.iterations,
                          result.residual, result.first_residual, result.reference, history, scheme,
                          result.recording_failed);
  }

 private:
  std::int64_t rows_;
  std::shared_ptr<Look*> look_;  // the one of the running solve
  bool history_;
  Use use_;
};

template <class Solver, class S, class O>
void bind_solver(nb::module_& m, const char* name) {
  using Kept = Krylov<Solver, S, O>;
  const nb::arg any;
  nb::class_<Kept>(m, name)
      .def(
          "__init__",
          [](Kept* self, std::int64_t rows, KrylovOptions options, bool constant_nullspace,
             const std::optional<Input<S>>& nullspace) {
            if (constant_nullspace) options.nullspace = Nullspace::constant();
            if (nullspace) options.nullspace = vectors_of<const S>(*nullspace);
            new (self) Kept(rows, std::move(options));
          },
          any, any, any, nb::arg().noconvert().none())
      .def("solve", &Kept::solve, any, nb::arg().noconvert(), nb::arg().noconvert(),
           nb::arg().none(), nb::arg().none(), any)
      .def("bytes", [](const Kept& self) { return self.plan().bytes(); });
}

}  // namespace heddle::python
