// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest.hpp"
#include "heddle_contestants.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types: load, make a system, set up, verify, time, level by
/// level.
template <Scalar S, Offset Off>
class MultigridRun {
 public:
  MultigridRun(const MultigridRequest& request, const Source& source, Progress& progress)
      : progress_(progress), contest_(exec_, progress_, result_) {
    problem_.request = request;
    problem_.load_system(exec_, result_, source, progress_, request.matrices.seed, request.method(),
                         request.excess);
  }

  MatrixResult run() {
    for (const KnownHierarchy& known : known_hierarchies()) {
      const bool first = known.name == known_hierarchies().front().name;
      const auto& asked = problem_.request.schemes;
      if (!ContestOptions::contains(asked, known.name) && !problem_.request.all_schemes() &&
          !(first && ContestOptions::contains(asked, "auto"))) {
        continue;
      }
      contest_.enter(known.name, true, [&] {
        return std::make_unique<PlannedHierarchy<S, Off>>(exec_, problem_, known.name);
      });
    }
    contest_.enter_baselines(problem_, problem_.request);
    verify_all();
    contest_.time_updates();
    contest_.for_each([&](Contestant& contestant, ContestantResult& entry) {
      progress_.task(result_.name + ": timing levels of " + entry.name);
      time_levels(contestant, entry);
    });
    contest_.time_all(problem_.request);
    return std::move(result_);
  }

 private:
  using Contestant = MultigridContestant;

  /// A preconditioner is right if a solve with it is.
  void verify_all() {
    contest_.for_each([&](Contestant& contestant, ContestantResult& entry) {
      progress_.task(result_.name + ": solving with " + entry.name);
      test::fill_with_poison(problem_.x);
      const Solved solved = contestant.solve(exec_);
      entry.iterations = solved.iterations;
      if (!problem_.request.verify()) return;
      contest_.judge(entry, problem_.error(exec_, problem_.request.limits.tolerance));
      if (!solved.converged) entry.note += "; the solve with it: " + solved.why;
    });
  }

  /// The time of a level is that of a cycle from it on, less that of a cycle from the next level.
  void time_levels(Contestant& contestant, ContestantResult& entry) {
    const MultigridHierarchy hierarchy = contestant.levels();
    const std::size_t count = hierarchy.levels.size();
    Stopwatch stopwatch(exec_);
    double below = 0;
    for (std::size_t l = count; l-- > 0;) {
      Samples samples;
      contestant.apply_from(exec_, static_cast<int>(l));
      const double begin = host_seconds();
      for (int i = 0; i < 50 && (i < 3 || host_seconds() - begin < 0.1); ++i) {
        exec_.fence("heddle::bench::levels");
        stopwatch.start();
        contestant.apply_from(exec_, static_cast<int>(l));
        samples.seconds.push_back(stopwatch.stop());
      }
      const MultigridLevel& level = hierarchy.levels[l];
      entry.levels.insert(entry.levels.begin(),
                          {level.rows, level.entries, level.scheme, level.smoother, level.bytes,
                           std::max(0.0, samples.median() - below)});
      below = samples.median();
    }
  }

  Progress& progress_;
  Exec exec_;
  MultigridProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
