// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest.hpp"
#include "../common/solve_error.hpp"
#include "heddle_contestants.hpp"
#include "system.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types: load, make a system, set up, verify, update, time.
template <Scalar S, Offset Off>
class SolveRun {
 public:
  SolveRun(const SolveRequest& request, const Source& source, Progress& progress)
      : progress_(progress),
        contest_(exec_, progress_, result_,
                 [exec = exec_](Contestant& contestant) { contestant.run(exec); }) {
    problem_.request = request;
    problem_.host = load_into(result_, source, progress_, [&] {
      const auto system = make_system(load<S, Off>(source, request.matrices.seed), request.method(),
                                      request.excess);
      result_.choice_reason = system.values;
      return system.matrix;
    });
    const auto rows = static_cast<std::size_t>(problem_.host.rows());
    result_.apply_bytes = result_.csr_bytes + 2 * rows * sizeof(S);
    device_ = problem_.host.template copy_to<Space>(exec_);
    exec_.fence("heddle::bench::copied");
    problem_.A = device_.matrix();
    result_.rows = row_features(exec_, problem_.A);
    problem_.b = decltype(problem_.b)("heddle::bench::b", rows);
    problem_.x = decltype(problem_.x)("heddle::bench::x", rows);
    make_right_hand_side(request.matrices.seed);
  }

  MatrixResult run() {
    const bool cg = problem_.request.method() == Method::cg;
    for (const KnownPreconditioner& known : known_preconditioners()) {
      const bool among_all = cg ? known.for_cg : known.for_others;
      if (!names(known.name) && !(problem_.request.all_schemes() && among_all)) continue;
      enter(known.name, true,
            [&] { return std::make_unique<HeddleKrylov<S, Off>>(exec_, problem_, known.name); });
    }
    for (const auto& baseline : baselines<SolveProblem<S, Off>>()) {
      const bool for_cg = baseline.name.ends_with("ic0");
      if (!problem_.request.wants_baseline(baseline.name) || (for_cg && !cg)) continue;
      enter(baseline.name, false, [&] { return baseline.setup(exec_, problem_); });
    }
    contest_.time_updates();
    contest_.time_all(problem_.request, true);
    contest_.for_each([&](Contestant& contestant, ContestantResult& entry) {
      entry.iterations = contestant.iterations();
    });
    return std::move(result_);
  }

 private:
  using Contestant = SolveContestant<S>;

  bool names(const std::string& preconditioner) const {
    return ContestOptions::contains(problem_.request.schemes, preconditioner);
  }

  /// b = A x of a random x.
  void make_right_hand_side(std::uint64_t seed) {
    const auto rows = static_cast<std::size_t>(problem_.host.rows());
    const auto x = test::random_columns<S>(rows, 1, seed + 2);
    host_b_ = test::HostColumns<S>("heddle::bench::b", rows, 1);
    const auto& A = problem_.host;
    for (std::size_t i = 0; i < rows; ++i) {
      for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        host_b_(i, 0) += A.values()(at) * x(static_cast<std::size_t>(A.col_idx()(at)), 0);
      }
    }
    problem_.copy_in(exec_, problem_.b, host_b_);
  }

  /// Verified is the solve that the contest ends a setup with: nothing else has x since.
  template <class Setup>
  void enter(const std::string& name, bool is_scheme, const Setup& setup) {
    test::fill_with_poison(problem_.x);
    contest_.enter(name, is_scheme, setup);
    ContestantResult& entry = result_.contestants.back();
    if (!problem_.request.verify() || entry.verdict == Verdict::unsupported) return;
    const test::HostColumns<S> x("heddle::bench::x", host_b_.extent(0), 1);
    problem_.copy_out(exec_, x, problem_.x);
    const double tolerance = problem_.request.limits.tolerance;
    entry.error_over_bound = solve_error(problem_.host, host_b_, x, tolerance);
    entry.verdict = entry.error_over_bound <= 1 ? Verdict::ok : Verdict::wrong;
  }

  Progress& progress_;
  Exec exec_;
  CsrStorage<S, Index, Off, Space> device_;
  SolveProblem<S, Off> problem_;
  test::HostColumns<S> host_b_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
