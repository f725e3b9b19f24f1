// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/gmres.hpp>
#include <heddle/minres.hpp>
#include <heddle/spmv.hpp>
#include <variant>

#include "../common/busy_threads.hpp"
#include "../common/plans.hpp"
#include "system.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SolveProblem<S, Off>;
using Matrix = Problem::Matrix;

using PlannedJacobi = PlannedOperator<S, Off, JacobiPreconditioner<Exec, S>>;

/// A Chebyshev polynomial for the upper part of the Gershgorin interval of D^-1 A.
class Polynomial : public AnyOperator<S> {
 public:
  using typename AnyOperator<S>::Const;
  using typename AnyOperator<S>::Vector;

  Polynomial(const Exec& exec, const Problem& problem, AnyOperator<S>& product)
      : AnyOperator<S>(problem.A.rows()),
        jacobi_(exec, problem.A),
        polynomial_(exec, product, jacobi_.plan(), bounds(problem.host), degree) {}

  void apply(const Exec& exec, const Const& b, const Vector& x) override {
    polynomial_.apply(exec, b, x);
  }
  void update_values(const Exec& exec) override { jacobi_.update_values(exec); }
  std::size_t bytes() const override { return jacobi_.bytes() + polynomial_.bytes(); }

 private:
  static constexpr int degree = 3;
  static constexpr double covered = 30;  // the upper bound over the lower

  static SpectrumBounds bounds(const HostStorage<S, Off>& A) {
    double largest = 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows()); ++i) {
      double sum = 0, diagonal = 0;
      each_entry(A, i, [&](std::size_t j, const S& value) {
        const auto size = static_cast<double>(Kokkos::abs(value));
        sum += size;
        if (j == i) diagonal = size;
      });
      largest = std::max(largest, sum / diagonal);
    }
    return {largest / covered, largest};
  }

  PlannedJacobi jacobi_;
  ChebyshevPreconditioner<Exec, S, AnyOperator<S>> polynomial_;
};

/// The preconditioner of that name; null for "none".
std::unique_ptr<AnyOperator<S>> make_named(const Exec& exec, const Problem& problem,
                                           AnyOperator<S>& product, const std::string& name) {
  const SolveRequest& request = problem.request;
  if (name == "none") return nullptr;
  if (name == "jacobi") return std::make_unique<PlannedJacobi>(exec, problem.A);
  if (name == "block-jacobi") {
    using Blocks = BlockJacobiPreconditioner<Exec, S>;
    return std::make_unique<PlannedOperator<S, Off, Blocks>>(exec, problem.A, request.block);
  }
  if (name == "chebyshev") return std::make_unique<Polynomial>(exec, problem, product);
  if (name.starts_with("ssor")) {
    using Sweep = GaussSeidelPlan<Exec, Matrix>;
    GaussSeidelOptions options{.expected_applies = request.expected_applies};
    if (name.ends_with("multicolor")) options.order = GaussSeidelOrder::multicolor;
    return std::make_unique<PlannedOperator<S, Off, Sweep>>(exec, problem.A, options);
  }
  if (name.starts_with("multigrid")) {
    const std::string kind = name.ends_with("float") ? "float"
                             : name.ends_with("seidel")
                                 ? heddle::name(MultigridSmoother::gauss_seidel)
                             : name.ends_with("plain") ? "plain"
                             : name.ends_with("-k")    ? "plain-k"
                                                       : heddle::name(MultigridSmoother::chebyshev);
    const MultigridOptions options{.expected_applies = request.expected_applies};
    return make_multigrid<S, Off>(exec, problem.A, problem.coordinates, kind, options);
  }
  IluOptions options;
  options.expected_applies = request.expected_applies;
  options.fill_level = name.starts_with("ic1") || name.starts_with("ilu1") ? 1 : 0;
  if (name.ends_with("subdomains")) options.subdomains = request.subdomains;
  if (name.ends_with("float")) options.factor_values = FactorValues::single_precision;
  return make_preconditioner<S, Off>(exec, problem.A, options, name.starts_with("ic"));
}

/// A solver of Heddle with a plan of the matrix and a preconditioner.
class HeddleKrylov : public SolveContestant<S> {
 public:
  HeddleKrylov(const Exec& exec, const Problem& problem, const std::string& name)
      : problem_(problem),
        product_(make_product<S, Off>(exec, problem.A,
                                      {.expected_applies = problem.request.expected_applies})),
        matrix_(*product_, problem.A),
        preconditioner_(make_named(exec, problem, *product_, name)) {
    const std::int64_t rows = problem.A.rows();
    KrylovOptions options = krylov_options(problem.request.limits);
    switch (problem.request.method()) {
      case Method::cg: solver_ = CgSolver<Exec, S>(exec, rows, options); break;
      case Method::minres: solver_ = MinresSolver<Exec, S>(exec, rows, options); break;
      case Method::bicgstab: solver_ = BicgstabSolver<Exec, S>(exec, rows, options); break;
      case Method::gmres:
        options.restart = problem.request.restart;
        options.flexible = preconditioner_ && preconditioner_->is_variable();
        if (problem.request.basis == "float") options.basis = KrylovBasis::in_float;
        solver_ = GmresSolver<Exec, S>(exec, rows, options);
        break;
    }
  }

  bool updates() const override { return preconditioner_ != nullptr; }
  void update_values(const Exec& exec) override { preconditioner_->update_values(exec); }
  std::size_t bytes() const override {
    return product_->bytes() + (preconditioner_ ? preconditioner_->bytes() : 0) +
           std::visit([](const auto& solver) { return solver.bytes(); }, solver_);
  }
  std::string scheme() const override { return product_->scheme(); }
  std::string note() const override { return preconditioner_ ? preconditioner_->scheme() : ""; }

 private:
  Solved solve(const Exec& exec) override {
    return solved(std::visit([&](auto& solver) { return solve_by(solver, exec); }, solver_));
  }
  template <class Solver>
  KrylovResult solve_by(Solver& solver, const Exec& exec) {
    const auto &b = problem_.b, &x = problem_.x;
    if (!preconditioner_) return solver.solve(exec, matrix_, b, x);
    if constexpr (std::same_as<Solver, CgSolver<Exec, S>>) {
      // The Jacobi preconditioner is passed by its own type, so that its z is never stored.
      const auto* const jacobi = dynamic_cast<PlannedJacobi*>(preconditioner_.get());
      if (jacobi) return solver.solve(exec, matrix_, b, x, jacobi->plan());
    }
    return solver.solve(exec, matrix_, b, x, *preconditioner_);
  }

  Problem problem_;
  std::unique_ptr<AnyProduct<S>> product_;
  OperatorWithRows<AnyProduct<S>, Matrix> matrix_;
  std::unique_ptr<AnyOperator<S>> preconditioner_;
  std::variant<CgSolver<Exec, S>, MinresSolver<Exec, S>, BicgstabSolver<Exec, S>,
               GmresSolver<Exec, S>>
      solver_;
};

/// Runs one source: load, make a system, set up, verify, update, time.
class Run : public SystemContest<SolveRequest, Problem> {
 public:
  using SystemContest::SystemContest;

  MatrixResult run() {
    const BusyThreads busy(request_.busy);
    const bool symmetric = is_symmetric(request_.method());
    for (const KnownPreconditioner& known : known_preconditioners()) {
      const bool among_all = symmetric ? known.for_symmetric : known.for_others;
      if (!(among_all ? request_.asks_for(known.name)
                      : ContestOptions::contains(request_.schemes, known.name))) {
        continue;
      }
      enter_solve(known.name, true,
                  [&] { return std::make_unique<HeddleKrylov>(exec_, problem_, known.name); });
    }
    for (const auto& baseline : baselines<Problem>()) {
      const bool of_symmetric = baseline.name.ends_with("ic0");
      if (!request_.wants_baseline(baseline.name) || (of_symmetric && !symmetric)) continue;
      enter_solve(baseline.name, false, [&] { return baseline.setup(exec_, problem_); });
    }
    time_updates();
    time_all(true);
    for_each("counting", [&](Contestant& contestant, ContestantResult& entry) {
      entry.iterations = contestant.iterations();
    });
    return std::move(result_);
  }

 private:
  /// Verifies the solve that ends the contest's set-up: nothing else has written x since.
  void enter_solve(const std::string& name, bool is_scheme, const Setup& setup) {
    test::fill_with_poison(problem_.x);
    ContestantResult& entry = enter(name, is_scheme, setup);
    if (request_.verify() && entry.verdict != Verdict::unsupported) judge(entry, error());
  }
};

[[maybe_unused]] const bool entered = enter_instance<Run>(HEDDLE_BENCH_SCALAR_NAME);

}  // namespace

}  // namespace heddle::bench
