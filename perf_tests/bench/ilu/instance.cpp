// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include <heddle/cg.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

#include "../../../solvers/ilu/schemes.hpp"
#include "../common/contest.hpp"
#include "../common/plans.hpp"
#include "../common/table.hpp"
#include "check.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = IluProblem<S, Off>;
using Matrix = Problem::Matrix;
using Kernels = SequentialKernels<S, Off>;

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
template <class Plan>
class HeddleFactors : public PlanContestant<Problem, Plan> {
  using Base = PlanContestant<Problem, Plan>;
  using Base::plan_, Base::problem_;

 public:
  HeddleFactors(const Exec& exec, const Problem& problem, const IluOptions& options, Timed timed)
      : Base(problem, exec, problem.A, options), timed_(timed) {
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
    const bool narrow = problem_.options.factor_values != FactorValues::same;
    return timed_error(problem_, timed_, factors, problem_.host_x(exec),
                       narrow ? rounding<float> : rounding<RealOf<S>>);
  }
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
    SpmvPlan<Exec, Matrix, S, S, Formats<CsrFormat>> A;
    CgSolver<Exec, S> cg;
    KrylovResult result;

    Solve(const Exec& exec, const Matrix& matrix)
        : A(exec, matrix, {}, Formats<CsrFormat>()),
          cg(exec, matrix.rows(), krylov_options(solve_limits)) {}
  };

  Timed timed_;
  std::optional<Solve> solve_;
};

std::unique_ptr<IluContestant<S>> make_factors(const Exec& exec, const Problem& problem,
                                               const IluOptions& options, Timed timed) {
  if (problem.cholesky) {
    return std::make_unique<HeddleFactors<IcPlan<Exec, Matrix>>>(exec, problem, options, timed);
  }
  return std::make_unique<HeddleFactors<IluPlan<Exec, Matrix>>>(exec, problem, options, timed);
}

template <class Plan>
class PlannedFactors : public PlannedOperator<S, Off, Plan> {
 public:
  using PlannedOperator<S, Off, Plan>::PlannedOperator;

  std::string scheme() const override {
    return this->plan().scheme().to_string() + " " + solve_scheme_of(this->plan());
  }
};

/// Makes incomplete factors, applies them, or solves with them, on one thread of the host.
class SequentialProgram : public IluContestant<S> {
 public:
  SequentialProgram(const Problem& problem, Timed timed)
      : problem_(problem),
        factors_(problem.host, problem.options, problem.cholesky),
        kernels_(problem.host),
        loops_(
            kernels_,
            [this](const Vector& r, const Vector& z) {
              factors_.solve(as_column(r), as_column(z));
            },
            solve_limits),
        timed_(timed) {
    if (timed == Timed::solve && !problem.solves) {
      throw Error("nothing is solved", "add --solve");
    }
    const auto& b = problem.host_b;
    x_ = test::HostColumns<S>("heddle::bench::x", b.extent(0), b.extent(1));
  }

  void run(const Exec&) override {
    switch (timed_) {
      case Timed::factor: return factors_.factor();
      case Timed::apply: return factors_.solve(problem_.host_b, x_);
      case Timed::solve:
        iterations_ = loops_.cg(column(problem_.host_b), column(x_)).iterations;
        return;
    }
  }
  std::optional<double> error_over_bound(const Exec&) override {
    return timed_error(problem_, timed_, factors_.on_host(), x_);
  }
  std::size_t bytes() const override { return factors_.bytes(); }
  std::string note() const override {
    return timed_ == Timed::solve ? std::to_string(iterations_) + " iterations" : "";
  }

 private:
  using Vector = Kernels::Vector;

  static Vector column(const test::HostColumns<S>& columns) {
    return Kokkos::subview(columns, Kokkos::ALL, 0);
  }

  Problem problem_;
  SequentialFactors<S, Off> factors_;
  Kernels kernels_;
  KrylovLoops<Kernels> loops_;
  Timed timed_;
  int iterations_ = 0;
  test::HostColumns<S> x_;
};

/// Runs one source: load, factor, verify, time.
class Run : public Contest<IluRequest, Problem> {
 public:
  Run(const IluRequest& request, const Source& source, Progress& progress)
      : Contest(request, source, progress) {
    take_whole_matrix("incomplete factors", false);
    problem_.options = request.options;
    problem_.options.vectors = expected_vectors();
    problem_.cholesky = request.cholesky();
    problem_.solves = request.solve;
    problem_.make_vectors(exec_, random_vectors(2));
  }

  MatrixResult run() {
    const auto factors = [&](const std::optional<Scheme>& scheme, Timed timed) {
      IluOptions options = problem_.options;
      options.scheme = scheme;
      return make_factors(exec_, problem_, options, timed);
    };
    const char* const name = problem_.cholesky ? "ic" : "ilu";
    enter_schemes(detail::ilu::grammar(name, backends::describe(exec_)), "",
                  [&](const auto& scheme) { return factors(scheme, Timed::factor); });
    enter("apply", true, [&] { return factors({}, Timed::apply); });
    if (problem_.solves) enter("cg", true, [&] { return factors({}, Timed::solve); });
    race([&] {
      return [&](Contestant& contestant, const ContestantResult&) {
        test::fill_with_poison(problem_.x);
        contestant.run(exec_);
        exec_.fence("heddle::bench::verified");
        return contestant.error_over_bound(exec_);
      };
    });
    std::erase_if(result_.contestants, [&](const ContestantResult& entry) {
      return entry.name == "program-cg" && !problem_.solves;
    });
    return std::move(result_);
  }
};

/// One line for each kernel.
std::vector<std::string> ilu_scheme_names() {
  std::vector<std::string> names;
  for (const char* name : {"ilu", "ic"}) {
    for (const std::string& usage : kernel_usages(detail::ilu::grammar(name, listed_device()))) {
      names.push_back(usage);
    }
  }
  return names;
}

[[maybe_unused]] const bool entered = [] {
  const auto add = [](const char* name, const char* description, Timed timed) {
    add_contestant<SequentialProgram, Problem>(name, description, timed);
  };
  add("program", "by rows with a row of markers on one thread of the host (Saad, SPARSKIT)",
      Timed::factor);
  add("program-apply", "two triangular solves on one thread of the host, row after row",
      Timed::apply);
  add("program-cg", "conjugate gradients with these, on one thread of the host; with --solve",
      Timed::solve);
  return enter_instance<Run>(HEDDLE_BENCH_SCALAR_NAME, ilu_scheme_names);
}();

}  // namespace

template <Scalar T, Offset O>
std::unique_ptr<AnyOperator<T>> make_preconditioner(const Exec& exec,
                                                    const CsrMatrix<T, Index, O, Space>& A,
                                                    const IluOptions& options, bool cholesky) {
  if (cholesky) return std::make_unique<PlannedFactors<IcPlan<Exec, Matrix>>>(exec, A, options);
  return std::make_unique<PlannedFactors<IluPlan<Exec, Matrix>>>(exec, A, options);
}
template std::unique_ptr<AnyOperator<S>> make_preconditioner(const Exec&, const Matrix&,
                                                             const IluOptions&, bool);

}  // namespace heddle::bench
