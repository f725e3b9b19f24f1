// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of CPUs: proved on the host, and run by any number of threads.
#include <doctest/doctest.h>

#include <thread>

#include "../../support/assumed_processors.hpp"
#include "../../support/loops.hpp"
#include "../../support/thread_proof.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using backends::Progress;
namespace ordered = heddle::detail::ordered;
namespace wavefronts = heddle::detail::wavefronts;

/// A pattern, the options of its loop, and a schedule for it.
struct Scheduled {
  Scheduled(const Pattern& from, WavefrontsOptions with, const char* kernel, int grain)
      : pattern(from), options(std::move(with)) {
    options.scheme = Scheme("wavefronts", {{kernel}, SchemeTerm("grain", std::to_string(grain))});
    const Exec exec;
    waves = Wavefronts<Exec>(exec, loop().iterations, loop().reads, options);
    const auto order = waves.place_order();
    for (int p = 0; p < loop().iterations; ++p) iterations.push_back(order(p));
  }

  ordered::Loop<int, PatternReads> loop() const {
    return {static_cast<int>(pattern.rows.size()),
            options.sweep,
            options.ahead,
            {pattern.rows.row_ptr().data(), pattern.rows.col_idx().data()}};
  }
  const ThreadSchedule& schedule() const { return waves.schedule(); }
  bool proved(const ThreadSchedule& by) const { return !broken_dependence(by, iterations, loop()); }

  Pattern pattern;
  WavefrontsOptions options;
  Wavefronts<Exec> waves;
  std::vector<std::int64_t> iterations;
};

/// Calls use(pattern, options) for every loop of these tests.
template <class Use>
void for_each_loop(const Use& use) {
  for (const Pattern& lower : triangle_patterns()) {
    use(lower, WavefrontsOptions{});
    use(reversed(lower), WavefrontsOptions{.sweep = SweepDirection::backward});
  }
  for (const SweepDirection sweep : {SweepDirection::forward, SweepDirection::backward}) {
    use(full_pattern(600, 4, 3), WavefrontsOptions{.sweep = sweep, .ahead = ReadsAhead::old_value});
  }
}

ThreadSchedule without_wait(ThreadSchedule schedule, std::size_t wait) {
  schedule.waits.erase(schedule.waits.begin() + static_cast<std::ptrdiff_t>(wait));
  for (auto& begin : schedule.wait_begin) begin -= begin > static_cast<std::int64_t>(wait);
  return schedule;
}

}  // namespace

TEST_CASE("wavefronts: every schedule is proved to keep every dependence") {
  Watchdog watchdog("proofs of schedules");
  std::int64_t waits = 0, tasks = 0;
  for_each_loop([&](const Pattern& pattern, WavefrontsOptions options) {
    CAPTURE(pattern.name);
    for (const int threads : {1, 2, 3, 8}) {
      options.threads = threads;
      for (const int grain : {1, 40}) {
        for (const char* kernel : {"barrier", "point-to-point"}) {
          const Scheduled scheduled(pattern, options, kernel, grain);
          CAPTURE(threads);
          CAPTURE(grain);
          CAPTURE(kernel);
          CHECK(scheduled.schedule().threads == threads);
          CHECK(scheduled.proved(scheduled.schedule()));
          waits += static_cast<std::int64_t>(scheduled.schedule().waits.size());
          tasks += scheduled.schedule().tasks();
        }
      }
      watchdog.progress();
    }
  });
  CHECK(waits > 1000);
  CHECK(tasks > 1000);
}

TEST_CASE("wavefronts: no wait and no barrier can be left out") {
  Watchdog watchdog("proofs of schedules that lack a wait");
  int left_out = 0;
  for_each_loop([&](const Pattern& pattern, WavefrontsOptions options) {
    CAPTURE(pattern.name);
    options.threads = 3;
    const Scheduled scheduled(pattern, options, "point-to-point", 1);
    const ThreadSchedule& whole = scheduled.schedule();
    const std::size_t step = 1 + whole.waits.size() / 20;
    for (std::size_t wait = 0; wait < whole.waits.size(); wait += step) {
      CHECK_FALSE(scheduled.proved(without_wait(whole, wait)));
      ++left_out;
    }
    // Barriers replace all waits; and if there are waits, stages alone keep no order.
    ThreadSchedule other = whole;
    other.barriers = true;
    CHECK(scheduled.proved(other));
    other.barriers = false;
    other.waits.clear();
    std::fill(other.wait_begin.begin(), other.wait_begin.end(), 0);
    CHECK(scheduled.proved(other) == whole.waits.empty());
    watchdog.progress();
  });
  CHECK(left_out > 100);
}

TEST_CASE("wavefronts: the proof sees what else may be wrong") {
  const Scheduled scheduled(triangle_named("grid"), {.threads = 2}, "point-to-point", 1);
  const ThreadSchedule& good = scheduled.schedule();
  REQUIRE(good.stages() > 4);
  ThreadSchedule late = good;  // a wait for a later stage would never end
  late.waits.front().stage = good.stages();
  CHECK_FALSE(scheduled.proved(late));
  ThreadSchedule few = good;
  few.threads = 1;
  CHECK_FALSE(scheduled.proved(few));
  Scheduled twice(triangle_named("grid"), {.threads = 2}, "barrier", 1);
  CHECK(twice.proved(twice.schedule()));
  std::swap(twice.iterations.front(), twice.iterations.back());
  CHECK_FALSE(twice.proved(twice.schedule()));
  twice.iterations.front() = twice.iterations.back();
  CHECK_FALSE(twice.proved(twice.schedule()));
}

TEST_CASE("wavefronts: what another wait implies is not waited for") {
  // One task of each of three threads in each stage, after all tasks of the stage before: earlier
  // stages are implied.
  ThreadSchedule schedule;
  schedule.threads = 3;
  for (int stage = 0; stage < 4; ++stage) {
    schedule.stage_begin.push_back(schedule.stage_begin.back() + 3);
    for (int t = 0; t < 3; ++t) schedule.task_begin.push_back(schedule.task_begin.back() + 1);
  }
  std::vector<int> needed(12 * 3, 0);
  for (int task = 3; task < 12; ++task) {
    for (int t = 0; t < 3; ++t) needed[static_cast<std::size_t>(task * 3 + t)] = task / 3;
  }
  sparsify(schedule, needed);
  CHECK(schedule.waits.size() == 3 * 3 * 2);
  // A chain 0 -> 1 -> 2 of threads: the dependence of the last thread on the first is implied.
  std::fill(needed.begin(), needed.end(), 0);
  needed[4 * 3 + 0] = 1;  // thread 1, stage 1, on thread 0, stage 0
  needed[8 * 3 + 1] = 2;  // thread 2, stage 2, on thread 1, stage 1
  needed[8 * 3 + 0] = 1;  // and on thread 0, stage 0
  schedule.waits.clear();
  sparsify(schedule, needed);
  REQUIRE(schedule.waits.size() == 2);
  CHECK(schedule.waits[0].thread == 0);
  CHECK(schedule.waits[1].thread == 1);
  CHECK(schedule.waits[1].stage == 2);
}

TEST_CASE("wavefronts: any number of threads runs a schedule, with delays anywhere") {
  Watchdog watchdog("threads of a schedule");
  for (const char* name : {"grid", "random", "two chains", "bidiagonal", "0 x 0", "1 x 1"}) {
    CAPTURE(name);
    const Pattern pattern = triangle_named(name);
    const auto expected = items_in_order(pattern, SweepDirection::forward);
    for (const char* kernel : {"barrier", "point-to-point"}) {
      const Scheduled scheduled(pattern, {.threads = 8}, kernel, 1);
      for (const int granted : {1, 2, 3, 7, 8}) {
        CAPTURE(granted);
        std::vector<std::int64_t> items(expected.size(), 5);
        std::vector<Progress::Word> words(8);
        const Progress progress(words.data());
        progress.clear(8);
        const MixItems mix{scheduled.loop().reads, items.data()};
        const auto run = [&](int me) {
          Random random(static_cast<std::uint64_t>(me + 1));
          ordered::run_share(
              scheduled.schedule(), me, granted, progress,
              [&](std::int64_t first, std::int64_t stop) {
                for (auto p = first; p < stop; ++p) {
                  if (random.below(200) == 0) {
                    std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
                  }
                  mix(static_cast<int>(scheduled.iterations[static_cast<std::size_t>(p)]));
                }
              });
        };
        std::vector<std::thread> threads;
        for (int me = 0; me < granted; ++me) threads.emplace_back(run, me);
        for (std::thread& thread : threads) thread.join();
        CHECK(items == expected);
        watchdog.progress();
      }
    }
  }
}

TEST_CASE("wavefronts: thin levels stay on one thread, wide ones are cut evenly") {
  const auto stages =
      ordered::make_stages({10, 10, 100, 5, 5, 1000, 7}, {1, 2, 50, 1, 1, 2, 1}, 4, 20);
  CHECK(stages.of_level == std::vector{0, 0, 1, 2, 2, 3, 4});
  CHECK(stages.tasks == std::vector{1, 4, 1, 2, 1});
  const Scheduled wide(triangle_named("two wide levels"), {.threads = 3}, "barrier", 1);
  const ThreadSchedule& schedule = wide.schedule();
  REQUIRE(schedule.tasks() == 6);
  for (std::size_t task = 0; task < 6; ++task) {
    CHECK(schedule.task_begin[task + 1] - schedule.task_begin[task] == 1500);
  }
}

TEST_CASE("wavefronts: threads are chosen only where they gain") {
  const Exec exec;
  const auto chosen = [&](const Pattern& pattern, int threads) {
    const PatternReads reads{pattern.rows.row_ptr().data(), pattern.rows.col_idx().data()};
    const Wavefronts<Exec> waves(exec, static_cast<int>(pattern.rows.size()), reads,
                                 {.threads = threads});
    return waves.scheme().to_string();
  };
  const Pattern wide = lower_band("wide", 200000, {100000});
  CHECK(chosen(wide, 1) == "wavefronts/sequential");
  CHECK(chosen(wide, 2).rfind("wavefronts/point-to-point,grain=", 0) == 0);
  CHECK(chosen(lower_band("chain", 200000, {1}), 16) == "wavefronts/sequential");
  CHECK(chosen(triangle_named("grid"), 16) == "wavefronts/sequential");
}

TEST_CASE("wavefronts: a schedule is made for the threads that have a processor each") {
  const Exec exec;
  const Pattern wide = lower_band("wide", 200000, {100000});
  const auto expected = items_in_order(wide, SweepDirection::forward);
  const PatternReads reads{wide.rows.row_ptr().data(), wide.rows.col_idx().data()};
  for (const int processors : {1, 2, 1000000}) {
    const AssumedProcessors assumed(processors);
    const int threads = std::min(processors, exec.concurrency());
    const auto n = static_cast<int>(wide.rows.size());
    const Wavefronts<Exec> chosen(exec, n, reads),
        pinned(exec, n, reads, {.scheme = Scheme("wavefronts", {{"barrier"}})});
    CHECK(chosen.scheme().has("sequential") == (threads == 1));
    CHECK(pinned.schedule().threads == threads);
    for (const auto* waves : {&chosen, &pinned}) {
      std::vector<std::int64_t> items(expected.size(), 5);
      waves->for_each(exec, MixItems{reads, items.data()});
      exec.fence("heddle::test::ran");
      CHECK(items == expected);
    }
  }
}

TEST_CASE("wavefronts: what two threads are predicted to gain") {
  // Levels of a side x side grid with `items` reads an iteration, all torn from those before.
  const auto gain_on_grid = [](std::int64_t side, std::int64_t items) {
    ordered::LevelCounts counts;
    for (std::int64_t level = 0; level < 2 * side - 1; ++level) {
      counts.sizes.push_back(std::min(level + 1, 2 * side - 1 - level));
      counts.steps.push_back(counts.sizes.back() * (ordered::steps_per_iteration + items));
    }
    counts.torn = side * side;
    const auto stages =
        ordered::make_stages(counts.steps, counts.sizes, 2, wavefronts::default_grain);
    return wavefronts::predicted_gain(counts, stages, side * side, backends::ThreadCosts());
  };
  CHECK(gain_on_grid(100, 2) < 1);    // no level is large enough for two
  CHECK(gain_on_grid(850, 2) > 1.2);  // measured: 1.4 to 1.7 (docs/wavefronts.md)
  CHECK(gain_on_grid(420, 24) < gain_on_grid(400, 24));  // larger than the caches
}

TEST_CASE("wavefronts: one thread, unless others are predicted to gain least_gain") {
  const Exec exec;
  const DevicePattern<Exec> on_device(triangle_named("two wide levels"));
  WavefrontsOptions options;
  options.threads = 2;
  std::vector<int> levels(static_cast<std::size_t>(on_device.rows));
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = i % 2 == 0 ? 0 : 1;
  const Kokkos::View<const int*, Kokkos::HostSpace> level(levels.data(), levels.size());
  for (const auto& [least_gain, scheme, threads] : {std::tuple(0.0, "wavefronts/point-to-point", 2),
                                                    std::tuple(1e9, "wavefronts/sequential", 1)}) {
    CAPTURE(least_gain);
    options.least_gain = least_gain;
    const Wavefronts<Exec> waves(exec, on_device.rows, on_device.reads(), options);
    CHECK(waves.scheme().has(Scheme(scheme).terms().front().key));
    CHECK(waves.schedule().threads == threads);
    const auto given = Wavefronts<Exec>::by_level(exec, level, options);
    CHECK(given.schedule().threads == threads);
  }
}

TEST_CASE("wavefronts: what a launch and a hand-over cost decides how many threads are taken") {
  const Exec exec;
  const Pattern levels = lower_band("a hundred levels", 200000, {2000});
  const PatternReads reads{levels.rows.row_ptr().data(), levels.rows.col_idx().data()};
  WavefrontsOptions options;
  options.threads = 2;
  struct Case {
    backends::ThreadCosts costs;
    int threads;
  };
  for (const Case& one : {Case{{1e-6, 0.1e-6}, 2}, Case{{1e-6, 20e-6}, 1}, Case{{1, 0.1e-6}, 1}}) {
    CAPTURE(one.costs.launch_seconds);
    CAPTURE(one.costs.hand_over_seconds);
    const AssumedThreadCosts assumed(one.costs);
    const Wavefronts<Exec> waves(exec, static_cast<int>(levels.rows.size()), reads, options);
    CHECK(waves.schedule().threads == one.threads);
  }
}

TEST_CASE("wavefronts: items that another thread has written are counted, and cost") {
  const Exec exec;
  WavefrontsOptions options;
  options.threads = 3;
  options.scheme = Scheme("wavefronts/point-to-point,grain=20");
  const Pattern grid = triangle_named("grid");
  const int n = static_cast<int>(grid.rows.size());
  const PatternReads reads{grid.rows.row_ptr().data(), grid.rows.col_idx().data()};
  const Wavefronts<Exec> waves(exec, n, reads, options);
  const auto& schedule = waves.schedule();
  std::vector<int> iterations, thread(static_cast<std::size_t>(n));
  for (int p = 0; p < n; ++p) iterations.push_back(waves.place_order()(p));
  for (std::size_t stage = 0; stage + 1 < schedule.stage_begin.size(); ++stage) {
    for (auto task = schedule.stage_begin[stage]; task < schedule.stage_begin[stage + 1]; ++task) {
      const auto t = static_cast<std::size_t>(task);
      for (auto p = schedule.task_begin[t]; p < schedule.task_begin[t + 1]; ++p) {
        thread[static_cast<std::size_t>(iterations[static_cast<std::size_t>(p)])] =
            static_cast<int>(task - schedule.stage_begin[stage]);
      }
    }
  }
  std::int64_t expected = 0;
  for (int i = 0; i < n; ++i) {
    reads(i, [&](int j) {
      expected += thread[static_cast<std::size_t>(i)] != thread[static_cast<std::size_t>(j)];
    });
  }
  CHECK(expected > 0);
  const ordered::Loop<int, PatternReads> loop{n, SweepDirection::forward, ReadsAhead::error, reads};
  CHECK(wavefronts::count_foreign_reads(exec, loop, iterations.data(), schedule) == expected);

  ordered::LevelCounts counts;
  counts.steps = {40000};
  counts.sizes = {5000};
  const auto stages = ordered::make_stages(counts.steps, counts.sizes, 2, 1);
  const backends::ThreadCosts costs;
  CHECK(wavefronts::predicted_gain(counts, stages, 5000, costs) > 1);
  CHECK(wavefronts::predicted_gain(counts, stages, 5000, costs, 1e6) < 1);
}

TEST_CASE("wavefronts: what threads cost is measured once") {
  const Exec exec;
  const AssumedThreadCosts measured(std::nullopt);
  const AssumedProcessors counted(0);
  const backends::ThreadCosts costs = backends::thread_costs(exec);
  CHECK(costs.launch_seconds > 0);
  CHECK(costs.hand_over_seconds >= 0);
  CHECK(backends::thread_costs(exec).launch_seconds == costs.launch_seconds);
}

}  // namespace heddle::test
