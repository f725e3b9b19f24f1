// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/gmres.hpp>
#include <heddle/minres.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/petsc_binary.hpp>
#include <heddle/solve.hpp>
#include <heddle/spmv.hpp>
#include <variant>

#include "../common/busy_threads.hpp"
#include "../common/plans.hpp"
#include "../common/table.hpp"
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
      case Method::cg:
        options.flexible = problem.request.flexible;
        solver_ = CgSolver<Exec, S>(exec, rows, options);
        break;
      case Method::minres: solver_ = MinresSolver<Exec, S>(exec, rows, options); break;
      case Method::bicgstab: solver_ = BicgstabSolver<Exec, S>(exec, rows, options); break;
      case Method::gmres:
        options.restart = problem.request.restart;
        options.flexible =
            problem.request.flexible || (preconditioner_ && preconditioner_->is_variable());
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

/// heddle::solve with a Solver of its own, which chooses unless a pair is named.
class ChosenSolve : public SolveContestant<S> {
 public:
  ChosenSolve(const Exec& exec, const Problem& problem, const std::string& pair)
      : problem_(problem), solver_(exec, problem.A, options(exec, problem, pair)) {}

  const SolveReport& report() const { return solver_.report(); }
  std::size_t bytes() const override { return solver_.bytes(); }
  /// The pair that ran last.
  std::string scheme() const override {
    return report().attempts.empty() ? "" : report().attempts.back().pair;
  }
  std::string note() const override {
    std::string text = "residual " + format("%.2e", report().relative_residual());
    if (report().attempts.size() < 2) return text;
    text += "; tried";
    for (const SolveAttempt& ran : report().attempts) {
      text += " " + ran.pair + " (" + std::to_string(ran.iterations) + ": " + ran.ended + ")";
    }
    return text;
  }

 private:
  static SolveOptions options(const Exec& exec, const Problem& problem, const std::string& pair) {
    SolveOptions of;
    of.relative_tolerance = problem.request.limits.tolerance;
    of.max_iterations = problem.request.limits.max_iterations;
    of.max_seconds = problem.request.max_seconds;
    of.zero_guess = true;
    of.pair = pair;
    if (problem.coordinates.extent(0) > 0) {
      of.near_nullspace = rigid_body_motions<S>(exec, problem.coordinates);
      of.block_size = static_cast<int>(problem.coordinates.extent(1));
    }
    return of;
  }
  Solved solve(const Exec& exec) override {
    solver_.solve(exec, problem_.b, problem_.x);
    return {report().converged(), report().iterations,
            std::string(name(report().outcome)) + "; " + note()};
  }

  Problem problem_;
  Solver<Exec, Matrix> solver_;
};

/// Runs one source: load, make a system, set up, verify, update, time.
class Run : public SystemContest<SolveRequest, Problem> {
 public:
  using SystemContest::SystemContest;

  MatrixResult run() {
    if (!request_.write_to.empty()) write_system();
    const BusyThreads busy(request_.busy);
    if (request_.any_system) return run_chosen();
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
  /// A contestant that is set up anew for each solve.
  struct Entrant {
    std::size_t at;  ///< its place in the result
    Setup setup;
    double used_seconds = 0;
    bool finished = false;
  };

  void write_system() const {
    const std::string path = request_.write_to + "/" + result_.name;
    write_petsc(path + ".petsc", problem_.host.matrix());
    const auto& b = problem_.host_b;
    std::vector<Off> row_ptr(b.extent(0) + 1);
    for (std::size_t i = 0; i < row_ptr.size(); ++i) row_ptr[i] = static_cast<Off>(i);
    const std::vector<Index> col_idx(b.extent(0), 0);
    const auto rows = static_cast<std::int64_t>(b.extent(0));
    using HostMatrix = decltype(problem_.host.matrix());
    write_petsc(path + ".b.petsc",
                HostMatrix(rows, 1, rows, row_ptr.data(), col_idx.data(), b.data()));
  }

  /// Whole solutions, each from a set-up on: `auto`, pairs, named preconditioners and baselines.
  MatrixResult run_chosen() {
    const bool definite = hermitian(problem_.host) && has_positive_diagonal(problem_.host);
    if (request_.method() == Method::cg && !definite) problem_.request.method_name = "gmres";
    const bool symmetric = is_symmetric(problem_.request.method());
    result_.choice_reason += "; others by " + problem_.request.method_name;

    if (request_.automatic()) {
      solve_anew(entrant("auto", true, solver_setup("")));
      result_.chosen_scheme = result_.contestants.front().scheme;
    }
    std::vector<std::string> pairs;
    if (ContestOptions::contains(request_.schemes, "all")) pairs = considered_;
    for (const std::string& word : request_.schemes) {
      const bool is_pair = word.find('/') != std::string::npos;
      if (is_pair && !ContestOptions::contains(pairs, word)) pairs.push_back(word);
    }
    for (const std::string& pair : pairs) {
      ContestantResult& entry = solve_anew(entrant(pair, true, solver_setup(pair)));
      entry.chosen = pair == result_.chosen_scheme;
    }
    for (const KnownPreconditioner& known : known_preconditioners()) {
      if (!ContestOptions::contains(request_.schemes, known.name)) continue;
      solve_anew(entrant(known.name, true, [this, name = known.name] {
        return std::make_unique<HeddleKrylov>(exec_, problem_, name);
      }));
    }
    for (const auto& baseline : baselines<Problem>()) {
      const bool of_symmetric = baseline.name.ends_with("ic0");
      if (!request_.wants_baseline(baseline.name) || (of_symmetric && !symmetric)) continue;
      solve_anew(entrant(baseline.name, false,
                         [this, &baseline] { return baseline.setup(exec_, problem_); }));
    }
    const auto unfinished = [](const Entrant& of) { return !of.finished; };
    while (std::any_of(entrants_.begin(), entrants_.end(), unfinished)) {
      for (Entrant& of : entrants_) {
        if (!of.finished) solve_anew(of);
      }
    }
    // The first solve also loads kernels and libraries.
    for (ContestantResult& entry : result_.contestants) {
      if (entry.time.seconds.size() < 2) continue;
      entry.time.seconds.erase(entry.time.seconds.begin());
      entry.setup.seconds.erase(entry.setup.seconds.begin());
    }
    return std::move(result_);
  }

  Setup solver_setup(const std::string& pair) {
    return [this, pair] { return std::make_unique<ChosenSolve>(exec_, problem_, pair); };
  }
  Entrant& entrant(const std::string& name, bool is_scheme, Setup setup) {
    ContestantResult& entry = result_.contestants.emplace_back();
    entry.name = name;
    entry.is_scheme = is_scheme;
    return entrants_.emplace_back(Entrant{result_.contestants.size() - 1, std::move(setup)});
  }
  /// Sets up and solves once. The set-up of a Solver counts as its inspection alone, and all else
  /// as the solve.
  ContestantResult& solve_anew(Entrant& of) {
    ContestantResult& entry = result_.contestants[of.at];
    const bool first = of.used_seconds == 0;
    progress_.task(result_.name + ": solving by " + entry.name);
    if (first) test::fill_with_poison(problem_.x);
    exec_.fence("heddle::bench::solve_anew");
    const double begin = host_seconds();
    try {
      const auto contestant = of.setup();
      exec_.fence("heddle::bench::solve_anew");
      double before = host_seconds() - begin;
      const auto* const chosen = dynamic_cast<ChosenSolve*>(contestant.get());
      if (chosen) before = chosen->report().inspect_seconds;
      if (entry.name == "auto") note_pairs(chosen->report());
      contestant->run(exec_);
      exec_.fence("heddle::bench::solve_anew");
      const double whole = host_seconds() - begin;
      of.used_seconds += whole;
      if (first) {
        entry.first_setup_seconds = before;
        entry.iterations = contestant->iterations();
        entry.bytes = contestant->bytes();
        entry.scheme = contestant->scheme();
        entry.note = contestant->note();
        if (request_.verify()) judge(entry, error());
      }
      entry.setup.seconds.push_back(before);
      entry.time.seconds.push_back(whole - before);
    } catch (const Error& failure) {
      if (first) entry.verdict = Verdict::unsupported;
      if (first) entry.note = failure.what();
      of.finished = true;
      return entry;
    }
    const auto repeated = static_cast<int>(entry.time.seconds.size()) - 1;
    // Loading kernels takes a second at most, little of a long solve.
    const double most = (repeated > 0 ? 1 : 10) * request_.budget_seconds;
    of.finished = of.used_seconds > most || repeated >= request_.repetitions ||
                  entry.time.median_error() <= request_.precision;
    return entry;
  }
  void note_pairs(const SolveReport& report) {
    considered_.clear();
    for (const SolvePair& pair : report.considered) considered_.push_back(pair.name());
  }

  std::vector<Entrant> entrants_;
  std::vector<std::string> considered_;  ///< by `auto`

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
