// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>

#include "../spmv/make_plan.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// A MultigridPlan as a contestant.
template <Scalar S, Offset Off>
class PlannedHierarchy : public MultigridContestant {
 public:
  PlannedHierarchy(const Exec& exec, const MultigridProblem<S, Off>& problem,
                   const std::string& name)
      : problem_(problem),
        plan_(make_multigrid<S, Off>(exec, problem.A, problem.coordinates, name,
                                     problem.request.options)) {}

  void run(const Exec& exec) override { plan_->apply(exec, problem_.b, problem_.x); }
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override { plan_->update_values(exec); }
  std::size_t bytes() const override { return plan_->bytes(); }
  std::string note() const override {
    const MultigridHierarchy of = levels();
    char text[100];
    std::snprintf(text, sizeof text, "%zu levels, operator complexity %.2f", of.levels.size(),
                  of.operator_complexity());
    return text;
  }
  MultigridHierarchy levels() const override { return plan_->levels(); }
  void apply_from(const Exec& exec, int level) override {
    const auto rows =
        static_cast<std::size_t>(plan_->levels().levels[static_cast<std::size_t>(level)].rows);
    const std::pair<std::size_t, std::size_t> first(0, rows);
    plan_->apply_from(exec, level, Kokkos::subview(problem_.b, first),
                      Kokkos::subview(problem_.x, first));
  }

  Solved solve(const Exec& exec) override {
    KrylovOptions options;
    options.relative_tolerance = problem_.request.limits.tolerance;
    options.max_iterations = problem_.request.limits.max_iterations;
    options.zero_guess = true;
    const auto product = make_product<S, Off>(exec, problem_.A, SpmvOptions{});
    const std::int64_t rows = problem_.A.rows();
    const auto by = [&](auto solver) -> Solved {
      const KrylovResult result = solver.solve(exec, *product, problem_.b, problem_.x, *plan_);
      return {result.converged(), result.iterations, heddle::name(result.outcome)};
    };
    if (problem_.request.method() == Method::cg) return by(CgSolver<Exec, S>(exec, rows, options));
    return by(GmresSolver<Exec, S>(exec, rows, options));
  }

 private:
  MultigridProblem<S, Off> problem_;
  std::unique_ptr<AnyMultigrid<S>> plan_;
};

}  // namespace heddle::bench
