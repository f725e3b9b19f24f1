// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest.hpp"
#include "heddle_contestants.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types: load, make a system, set up, verify, update, time.
template <Scalar S, Offset Off>
class SolveRun {
 public:
  SolveRun(const SolveRequest& request, const Source& source, Progress& progress)
      : progress_(progress), contest_(exec_, progress_, result_) {
    problem_.request = request;
    problem_.load_system(exec_, result_, source, progress_, request.matrices.seed, request.method(),
                         request.excess);
  }

  MatrixResult run() {
    const bool symmetric = is_symmetric(problem_.request.method());
    for (const KnownPreconditioner& known : known_preconditioners()) {
      const bool among_all = symmetric ? known.for_symmetric : known.for_others;
      if (!names(known.name) && !(problem_.request.all_schemes() && among_all)) continue;
      enter(known.name, true,
            [&] { return std::make_unique<HeddleKrylov<S, Off>>(exec_, problem_, known.name); });
    }
    for (const auto& baseline : baselines<SolveProblem<S, Off>>()) {
      const bool of_symmetric = baseline.name.ends_with("ic0");
      if (!problem_.request.wants_baseline(baseline.name) || (of_symmetric && !symmetric)) continue;
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

  /// Verifies the solve that ends the contest's set-up: nothing else has written x since.
  template <class Setup>
  void enter(const std::string& name, bool is_scheme, const Setup& setup) {
    test::fill_with_poison(problem_.x);
    contest_.enter(name, is_scheme, setup);
    ContestantResult& entry = result_.contestants.back();
    if (!problem_.request.verify() || entry.verdict == Verdict::unsupported) return;
    contest_.judge(entry, problem_.error(exec_, problem_.request.limits.tolerance));
  }

  Progress& progress_;
  Exec exec_;
  SolveProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
