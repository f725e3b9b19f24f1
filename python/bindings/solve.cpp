// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/solve.hpp>

#include "krylov.hpp"

namespace heddle::python {

namespace {

/// A report, in the order of SolveReport's fields in heddle/_solve.py.
nb::tuple told(const SolveReport& report) {
  nb::list considered, attempts;
  for (const SolvePair& pair : report.considered) {
    considered.append(nb::make_tuple(pair.name(), pair.iterations, pair.seconds_of_iteration,
                                     pair.setup_seconds, pair.bytes, pair.last_resort,
                                     pair.refused));
  }
  for (const SolveAttempt& ran : report.attempts) {
    attempts.append(nb::make_tuple(ran.pair, ran.iterations, ran.relative_residual,
                                   ran.setup_seconds, ran.seconds, ran.ended));
  }
  std::vector<int> iterations;
  std::vector<double> residuals;
  for (const auto& [iteration, residual] : report.history) {
    iterations.push_back(iteration);
    residuals.push_back(residual);
  }
  return nb::make_tuple(static_cast<int>(report.outcome), name(report.outcome), report.residual,
                        report.reference, report.iterations, report.matrix.to_string(), considered,
                        attempts, iterations, residuals, report.plan_seconds,
                        report.inspect_seconds, report.setup_seconds, report.solve_seconds,
                        report.advice, report.to_string());
}

/// A Solver, and the matrix that it borrows.
template <class S, class O>
class ChosenSolver : public Holder<Solver<Exec, typename Matrix<S, O>::Csr>> {
  using Of = Solver<Exec, typename Matrix<S, O>::Csr>;

 public:
  ChosenSolver(KeptMatrix<S, O> A, SolveOptions options)
      : Holder<Of>(nullptr),
        matrix_(std::move(A)),
        small_(is_small(*matrix_)),
        look_(std::make_shared<Look*>(nullptr)) {
    options.callback = [look = look_](int iterations, double residual) {
      return (**look)(iterations, residual);
    };
    this->set(run(small_,
                  [&](const Exec& exec) { return std::make_unique<Of>(exec, *matrix_, options); }));
  }

  /// x is the guess, and the solution. The callback is f(iterations, residual), or None.
  nb::tuple solve(const Array<S>& b, const Output<S>& x, nb::handle callback) {
    Look look{callback};
    Of& solver = this->plan();
    const Use::Held mine(use_);
    SolveReport report;
    run(small_, [&](const Exec& exec) {
      *look_ = &look;
      const std::shared_ptr<void> after(nullptr, [&](void*) { *look_ = nullptr; });
      using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
      report = solver.solve(exec, Kokkos::View<const S*, Space, Unmanaged>(b.data(), b.shape(0)),
                            Kokkos::View<S*, Space, Unmanaged>(x.data(), x.shape(0)));
    });
    return told(report);
  }
  void update_values(nb::handle A) {
    Of& solver = this->plan();
    KeptMatrix<S, O> matrix = kept<S, O>(A);
    const Use::Held mine(use_);
    run(small_, [&](const Exec& exec) {
      solver.update_values(exec, *matrix);
      matrix_.swap(matrix);
    });
  }
  nb::tuple report() const {
    return told(in_turn([&] { return this->plan().report(); }));
  }
  std::size_t bytes() const {
    return in_turn([&] { return this->plan().bytes(); });
  }

 private:
  KeptMatrix<S, O> matrix_;
  bool small_;
  std::shared_ptr<Look*> look_;  // the one of the running solve
  Use use_;
};

}  // namespace

template <class S, class O>
void bind_solve(nb::module_& m) {
  using Kept = ChosenSolver<S, O>;
  const nb::arg any;
  nb::class_<Kept>(m, "Solver")
      .def(
          "__init__",
          [](Kept* self, nb::handle A, SolveOptions options, bool constant_nullspace,
             const std::optional<Input<S>>& nullspace,
             const std::optional<Input<S>>& near_nullspace) {
            if (constant_nullspace) options.nullspace = Nullspace::constant();
            if (nullspace) options.nullspace = vectors_of<const S>(*nullspace);
            if (near_nullspace) options.near_nullspace = vectors_of<const S>(*near_nullspace);
            new (self) Kept(kept<S, O>(A), std::move(options));
          },
          any, any, any, nb::arg().noconvert().none(), nb::arg().noconvert().none())
      .def("solve", &Kept::solve, nb::arg().noconvert(), nb::arg().noconvert(), nb::arg().none())
      .def("update_values", &Kept::update_values)
      .def("report", &Kept::report)
      .def("bytes", &Kept::bytes);
}

HEDDLE_PYTHON_INSTANCES(bind_solve)

}  // namespace heddle::python
