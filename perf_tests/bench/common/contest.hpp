// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "../../../backends/device.hpp"
#include "allocations.hpp"
#include "contest_options.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "stopwatch.hpp"
#include "timing.hpp"

namespace heddle::bench {

/// The contestants of one matrix: sets up each of them, and times them in turns. Fills in
/// result.contestants in the order of their entry.
template <class Contestant>
class Contest {
 public:
  using Setup = std::function<std::unique_ptr<Contestant>()>;

  Contest(const Exec& exec, Progress& progress, MatrixResult& result)
      : exec_(exec), progress_(progress), result_(result) {}

  /// Sets up every contestant that enters from then on once more, to log its allocations.
  void look_at_allocations() { look_at_allocations_ = true; }

  /// Sets up a contestant several times: the first set-up includes loading kernels and libraries.
  void enter(const std::string& name, bool is_scheme, const Setup& setup) {
    progress_.task(result_.name + ": setting up " + name);
    ContestantResult entry;
    entry.name = name;
    entry.is_scheme = is_scheme;
    std::unique_ptr<Contestant> contestant;
    try {
      double spent = 0;
      for (int i = 0; i <= setups && (i < 2 || spent < setup_budget_seconds); ++i) {
        contestant.reset();
        exec_.fence("heddle::bench::setup");
        const double begin = host_seconds();
        contestant = setup();
        exec_.fence("heddle::bench::setup");
        const double took = host_seconds() - begin;
        spent += took;
        if (i == 0) {
          entry.first_setup_seconds = took;
          if (look_at_allocations_ && contestant->allocates_through_kokkos()) {
            contestant.reset();
            entry.allocations = measure_allocations(exec_, false, setup);
          }
        } else {
          entry.setup.seconds.push_back(took);
        }
      }
      contestant->run(exec_);
      exec_.fence("heddle::bench::first_apply");
      entry.bytes = contestant->bytes();
      entry.moved_bytes = contestant->moved_bytes();
      entry.scheme = contestant->scheme();
      entry.note = contestant->note();
      if (!entry.scheme.empty() && entry.scheme != name) {
        entry.note = entry.scheme + (entry.note.empty() ? "" : "; ") + entry.note;
      }
    } catch (const Error& error) {
      contestant.reset();
      entry.verdict = Verdict::unsupported;
      entry.note = error.what();
    }
    contestants_.push_back(std::move(contestant));
    result_.contestants.push_back(std::move(entry));
  }

  /// Enters the baselines that were asked for.
  template <class Problem>
  void enter_baselines(const Problem& problem, const ContestOptions& options) {
    for (const auto& baseline : baselines<Problem>()) {
      if (!options.wants_baseline(baseline.name)) continue;
      enter(baseline.name, false, [&] { return baseline.setup(exec_, problem); });
    }
  }

  /// Calls use(contestant, its result) for each contestant that was set up.
  template <class Use>
  void for_each(const Use& use) {
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (contestants_[i]) use(*contestants_[i], result_.contestants[i]);
    }
  }

  /// error(contestant, its result) is the largest error over its bound: a double, or an optional
  /// that is empty if nothing is known. It determines the verdict.
  template <class ErrorOf>
  void verify(const ErrorOf& error) {
    for_each([&](Contestant& contestant, ContestantResult& entry) {
      progress_.task(result_.name + ": verifying " + entry.name);
      const std::optional<double> over_bound = error(contestant, entry);
      if (over_bound) judge(entry, *over_bound);
    });
  }
  static void judge(ContestantResult& entry, double over_bound) {
    entry.error_over_bound = over_bound;
    entry.verdict = over_bound <= 1 ? Verdict::ok : Verdict::wrong;
  }

  /// Times contestant.update_values(exec) of those that have values to update.
  void time_updates() {
    Stopwatch stopwatch(exec_);
    for_each([&](Contestant& contestant, ContestantResult& entry) {
      if (!contestant.updates()) return;
      progress_.task(result_.name + ": updating " + entry.name);
      contestant.update_values(exec_);
      exec_.fence("heddle::bench::first_update");
      const double begin = host_seconds();
      for (int i = 0; i < updates; ++i) {
        if (i > 2 && host_seconds() - begin > update_budget_seconds) break;
        stopwatch.start();
        contestant.update_values(exec_);
        entry.update.seconds.push_back(stopwatch.stop());
      }
    });
  }

  /// `long_applies`: see TimingOptions.
  void time_all(const RunOptions& run, bool long_applies = false) {
    progress_.task(result_.name + ": timing");
    std::vector<Runner> runners;
    std::vector<ContestantResult*> entries;
    for_each([&](Contestant& contestant, ContestantResult& entry) {
      runners.push_back({entry.name, [this, &contestant] { contestant.run(exec_); }, {}, {}, {}});
      entries.push_back(&entry);
    });
    const TimingOptions options{.repetitions = run.repetitions,
                                .precision = run.precision,
                                .budget_seconds = run.budget_seconds,
                                .flush = run.flush,
                                .long_applies = long_applies,
                                .cache_bytes = backends::describe(exec_).cache_bytes};
    Stopwatch clock(exec_);
    result_.reference = time_in_turns(exec_, clock, runners, options, progress_);
    for (std::size_t i = 0; i < runners.size(); ++i) {
      entries[i]->time = std::move(runners[i].time);
      entries[i]->queued = std::move(runners[i].queued);
      entries[i]->latency = std::move(runners[i].latency);
    }
  }

 private:
  static constexpr int setups = 3;
  static constexpr double setup_budget_seconds = 1;
  static constexpr int updates = 10;
  static constexpr double update_budget_seconds = 0.5;

  Exec exec_;
  Progress& progress_;
  MatrixResult& result_;
  bool look_at_allocations_ = false;
  std::vector<std::unique_ptr<Contestant>> contestants_;
};

}  // namespace heddle::bench
