// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heddle's Krylov solvers as contestants.
#pragma once

#include <heddle/bicgstab.hpp>
#include <heddle/gmres.hpp>
#include <heddle/minres.hpp>

#include "../spmv/make_plan.hpp"
#include "preconditioners.hpp"

namespace heddle::bench {

/// A solver of Heddle with a plan of the matrix and a preconditioner.
template <Scalar S, Offset Off>
class HeddleKrylov : public SolveContestant<S> {
 public:
  HeddleKrylov(const Exec& exec, const SolveProblem<S, Off>& problem, const std::string& name)
      : problem_(problem),
        product_(make_product<S, Off>(exec, problem.A, product_options(problem.request))),
        matrix_(*product_, problem.A),
        preconditioner_(make_named<S, Off>(exec, problem, *product_, name)) {
    const std::int64_t rows = problem.A.rows();
    KrylovOptions options = solver_options(problem.request);
    switch (problem.request.method()) {
      case Method::cg: cg_.emplace(exec, rows, options); break;
      case Method::minres: minres_.emplace(exec, rows, options); break;
      case Method::bicgstab: bicgstab_.emplace(exec, rows, options); break;
      case Method::gmres:
        options.restart = problem.request.restart;
        gmres_.emplace(exec, rows, options);
        break;
    }
  }

  bool updates() const override { return preconditioner_ != nullptr; }
  void update_values(const Exec& exec) override { preconditioner_->update_values(exec); }
  std::size_t bytes() const override {
    const auto of = [](const auto& part) { return part ? part->bytes() : 0; };
    return of(product_) + of(preconditioner_) + of(cg_) + of(minres_) + of(bicgstab_) + of(gmres_);
  }
  std::string scheme() const override { return product_->scheme(); }
  std::string note() const override { return preconditioner_ ? preconditioner_->scheme() : ""; }

 private:
  static SpmvOptions product_options(const SolveRequest& request) {
    SpmvOptions options;
    options.expected_applies = request.expected_applies;
    return options;
  }
  static KrylovOptions solver_options(const SolveRequest& request) {
    KrylovOptions options;
    options.relative_tolerance = request.limits.tolerance;
    options.max_iterations = request.limits.max_iterations;
    options.zero_guess = true;
    return options;
  }

  Solved solve(const Exec& exec) override {
    const KrylovResult result = cg_         ? by_cg(exec)
                                : minres_   ? solve_by(*minres_, exec)
                                : bicgstab_ ? solve_by(*bicgstab_, exec)
                                            : solve_by(*gmres_, exec);
    return {result.converged(), result.iterations, heddle::name(result.outcome)};
  }
  /// The Jacobi preconditioner is passed by its own type, so that its z is never stored.
  KrylovResult by_cg(const Exec& exec) {
    const auto* const jacobi = dynamic_cast<PlannedJacobi<S, Off>*>(preconditioner_.get());
    if (!jacobi) return solve_by(*cg_, exec);
    return cg_->solve(exec, matrix_, problem_.b, problem_.x, jacobi->plan());
  }
  template <class Solver>
  KrylovResult solve_by(Solver& solver, const Exec& exec) {
    if (!preconditioner_) return solver.solve(exec, matrix_, problem_.b, problem_.x);
    return solver.solve(exec, matrix_, problem_.b, problem_.x, *preconditioner_);
  }

  SolveProblem<S, Off> problem_;
  std::unique_ptr<AnyProduct<S>> product_;
  OperatorWithRows<AnyProduct<S>, CsrMatrix<S, Index, Off, Space>> matrix_;
  std::unique_ptr<AnyOperator<S>> preconditioner_;
  std::optional<CgSolver<Exec, S>> cg_;
  std::optional<MinresSolver<Exec, S>> minres_;
  std::optional<BicgstabSolver<Exec, S>> bicgstab_;
  std::optional<GmresSolver<Exec, S>> gmres_;
};

}  // namespace heddle::bench
