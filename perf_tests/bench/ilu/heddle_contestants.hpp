// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heddle's plans of incomplete factors as contestants, and the names of their schemes.
#pragma once

#include <heddle/cg.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

#include "../../../solvers/ilu/schemes.hpp"
#include "../common/asked_schemes.hpp"
#include "../common/table.hpp"
#include "check.hpp"
#include "make_preconditioner.hpp"
#include "request.hpp"

namespace heddle::bench {

/// One line for each kernel.
inline std::vector<std::string> ilu_scheme_names() {
  std::vector<std::string> names;
  for (const char* name : {"ilu", "ic"}) {
    for (const std::string& usage : kernel_usages(detail::ilu::grammar(name, listed_device()))) {
      names.push_back(usage);
    }
  }
  return names;
}

/// The scheme of the triangular solves; for LU that of the upper one.
template <class Plan>
std::string solve_scheme_of(const Plan& plan) {
  if constexpr (requires { plan.sptrsv_scheme(Triangle::upper); }) {
    return plan.sptrsv_scheme(Triangle::upper).to_string();
  } else {
    return plan.sptrsv_scheme().to_string();
  }
}

/// A plan of Heddle as a contestant.
template <class Plan, Scalar S, Offset Off>
class HeddleFactors : public IluContestant<S> {
 public:
  HeddleFactors(const Exec& exec, const IluProblem<S, Off>& problem, const IluOptions& options,
                Timed timed)
      : problem_(problem),
        timed_(timed),
        narrow_(options.factor_values != FactorValues::same),
        plan_(exec, problem.A, options) {
    if (timed == Timed::solve) solve_.emplace(exec, problem.A);
  }

  void run(const Exec& exec) override {
    if (timed_ == Timed::factor) return plan_.update_values(exec, problem_.A);
    if (timed_ == Timed::solve) {
      solve_->result = solve_->cg.solve(exec, solve_->A, problem_.b, problem_.x, plan_);
      return;
    }
    problem_.with_vectors([&](const auto& b, const auto& x) { plan_.apply(exec, b, x); });
  }
  std::optional<double> error_over_bound(const Exec& exec) override {
    if (timed_ == Timed::factor && plan_.scheme().has("sweeps")) return std::nullopt;
    const auto storage = plan_.factors(exec);
    const auto made = storage.matrix();
    const auto on_host = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    };
    const HostFactors factors{on_host(made.row_ptr()), on_host(made.col_idx()),
                              on_host(made.values()), problem_.cholesky};
    return timed_error(problem_, timed_, factors, problem_.host_x(exec),
                       narrow_ ? rounding<float> : rounding<RealOf<S>>);
  }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::string scheme() const override {
    return timed_ == Timed::factor ? plan_.scheme().to_string() : "";
  }
  std::string note() const override {
    if (timed_ == Timed::apply) return solve_scheme_of(plan_);
    if (timed_ == Timed::solve) {
      const bool converged = solve_->result.converged();
      return std::to_string(solve_->result.iterations) + " iterations" +
             (converged ? "" : std::string(", ") + heddle::name(solve_->result.outcome));
    }
    if (!plan_.scheme().has("sweeps")) return "";
    return format("residual %.1e", plan_.residual(Exec(), problem_.A));
  }

 private:
  struct Solve {
    SpmvPlan<Exec, CsrMatrix<S, Index, Off, Space>, S, S, Formats<CsrFormat>> A;
    CgSolver<Exec, S> cg;
    KrylovResult result;

    Solve(const Exec& exec, const CsrMatrix<S, Index, Off, Space>& matrix)
        : A(exec, matrix, {}, Formats<CsrFormat>()), cg(exec, matrix.rows(), solve_options()) {}
    static KrylovOptions solve_options() {
      KrylovOptions options;
      options.relative_tolerance = solve_tolerance;
      options.max_iterations = most_iterations;
      options.zero_guess = true;
      return options;
    }
  };

  IluProblem<S, Off> problem_;
  Timed timed_;
  bool narrow_;
  Plan plan_;
  std::optional<Solve> solve_;
};

/// Calls use(a null pointer to the plan's type, its options).
template <Scalar S, Offset Off, class Use>
auto with_plan_of(FactorKind kind, IluOptions options, const Use& use) {
  using Matrix = CsrMatrix<S, Index, Off, Space>;
  if (kind == FactorKind::lu_in_float || kind == FactorKind::cholesky_in_float) {
    options.factor_values = FactorValues::single_precision;
  }
  if (kind == FactorKind::lu || kind == FactorKind::lu_in_float) {
    return use(static_cast<const IluPlan<Exec, Matrix>*>(nullptr), options);
  }
  return use(static_cast<const IcPlan<Exec, Matrix>*>(nullptr), options);
}

/// Makes a plan of the requested kind of factors.
template <Scalar S, Offset Off>
std::unique_ptr<IluContestant<S>> make_factors(const Exec& exec, const IluProblem<S, Off>& problem,
                                               const IluOptions& options, bool in_float,
                                               Timed timed) {
  const FactorKind wide = problem.cholesky ? FactorKind::cholesky : FactorKind::lu;
  const FactorKind narrow =
      problem.cholesky ? FactorKind::cholesky_in_float : FactorKind::lu_in_float;
  return with_plan_of<S, Off>(
      in_float ? narrow : wide, options,
      [&]<class Plan>(const Plan*, const IluOptions& of_plan) -> std::unique_ptr<IluContestant<S>> {
        return std::make_unique<HeddleFactors<Plan, S, Off>>(exec, problem, of_plan, timed);
      });
}

}  // namespace heddle::bench
