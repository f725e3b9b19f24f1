// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wavefronts run a loop in parallel as if in its order, on every backend; and the schedules of
// CPUs, proved on the host and run by any number of threads.
#include <doctest/doctest.h>

#include <set>
#include <thread>

#include "../../../solvers/ordered/rows.hpp"
#include "../../../testing/events.hpp"
#include "../../support/assumed_processors.hpp"
#include "../../support/loops.hpp"
#include "../../support/thread_proof.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
namespace wavefronts = heddle::detail::wavefronts;

template <class Exec>
void check_every_scheme(const Exec& exec, const Pattern& pattern, WavefrontsOptions options) {
  CAPTURE(pattern.name);
  const DevicePattern<Exec> on_device(pattern);
  const auto expected = items_in_order(pattern, options.sweep);
  std::vector<std::optional<Scheme>> schemes{std::nullopt};
  for (const Scheme& scheme : variants_of(wavefronts::grammar(backends::describe(exec)))) {
    schemes.emplace_back(scheme);
  }
  for (const auto& scheme : schemes) {
    options.scheme = scheme;
    for (const int threads : {0, 2, 5}) {
      options.threads = threads;
      const Wavefronts<Exec> waves(exec, on_device.rows, on_device.reads(), options);
      CAPTURE(waves.scheme().to_string());
      for (int repeat = 0; repeat < 3; ++repeat) CHECK(on_device.run(exec, waves) == expected);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("wavefronts: the same as the loop, on every triangle", T, triangles) {
  const typename T::Exec exec;
  Watchdog watchdog("wavefronts of triangles");
  for (const Pattern& lower : triangle_patterns()) {
    check_every_scheme(exec, lower, {});
    check_every_scheme(exec, reversed(lower), {.sweep = SweepDirection::backward});
    watchdog.progress();
  }
}
TEST_CASE_TEMPLATE_APPLY(triangles, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: who reads ahead finds old values", T, ahead) {
  const typename T::Exec exec;
  Watchdog watchdog("wavefronts of sweeps");
  for (const auto& [rows, most] : {std::pair(1500, 3), std::pair(400, 12), std::pair(3000, 2)}) {
    const Pattern pattern = full_pattern(rows, most, static_cast<std::uint64_t>(rows));
    for (const SweepDirection sweep : {SweepDirection::forward, SweepDirection::backward}) {
      check_every_scheme(exec, pattern, {.sweep = sweep, .ahead = ReadsAhead::old_value});
      watchdog.progress();
    }
  }
  // An item that all iterations before it read must wait for all of them.
  Pattern last{"last is read", 2000, {}};
  for (int i = 0; i < 2000; ++i) last.rows.push_back(std::vector<std::int64_t>{1999});
  check_every_scheme(exec, last, {.ahead = ReadsAhead::old_value});
}
TEST_CASE_TEMPLATE_APPLY(ahead, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: wrong reads are errors that name the iteration", T, wrong) {
  using Exec = typename T::Exec;
  const Exec exec;
  const auto inspect = [&](const Pattern& pattern, const WavefrontsOptions& options) {
    const DevicePattern<Exec> on_device(pattern);
    const Wavefronts waves(exec, on_device.rows, on_device.reads(), options);
    return waves.levels();
  };
  const Pattern later{"later", 4, {{}, {0}, {3, 2}, {0, 1}}};
  CHECK_THROWS_WITH(inspect(later, {}),
                    doctest::Contains("iteration 2 reads item 3, which the loop writes later; use "
                                      "ReadsAhead::old_value"));
  CHECK_THROWS_WITH(inspect(later, {.sweep = SweepDirection::backward}),
                    doctest::Contains("iteration 1 reads item 0, which the loop writes later"));
  CHECK(inspect(later, {.ahead = ReadsAhead::old_value}) == 3);
  CHECK(inspect({"itself", 2, {{0}, {0, 1}}}, {}) == 2);
  const Pattern outside{"outside", 4, {{}, {0}, {1}, {7}}};
  const Pattern negative{"negative", 4, {{}, {-1}, {1}, {2}}};
  for (const ReadsAhead ahead : {ReadsAhead::error, ReadsAhead::old_value}) {
    for (const auto& [pattern, words] :
         {std::pair(outside, "iteration 3 reads item 7, which none of the 4 iterations writes"),
          std::pair(negative,
                    "iteration 1 reads item -1, which none of the 4 iterations writes")}) {
      std::string said;
      try {
        inspect(pattern, {.ahead = ahead});
      } catch (const Error& error) {
        said = error.what();
      }
      CHECK(said.find(words) != std::string::npos);
      CHECK(said.find("ReadsAhead") == std::string::npos);
    }
  }
  const DevicePattern<Exec> on_device(later);
  CHECK_THROWS_WITH(Wavefronts(exec, -1, on_device.reads()),
                    doctest::Contains("the loop has -1 iterations"));
  CHECK_THROWS_WITH(inspect(later, {.sweep = SweepDirection::symmetric}),
                    doctest::Contains("one loop cannot go forward and backward"));
  CHECK_THROWS_AS(inspect(later, {.scheme = Scheme("wavefronts", {{"fast"}})}), Error);
}
TEST_CASE_TEMPLATE_APPLY(wrong, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: levels are those of the longest chain", T, levels) {
  using Exec = typename T::Exec;
  const Exec exec;
  for (const auto& [name, count] : levels_of_triangles) {
    CAPTURE(name);
    const DevicePattern<Exec> lower(triangle_named(name)), upper(reversed(triangle_named(name)));
    CHECK(Wavefronts(exec, lower.rows, lower.reads()).levels() == count);
    CHECK(
        Wavefronts(exec, upper.rows, upper.reads(), {.sweep = SweepDirection::backward}).levels() ==
        count);
  }
}
TEST_CASE_TEMPLATE_APPLY(levels, Everywhere);

TEST_CASE("wavefronts: everything is labelled, and a loop launches and does nothing else") {
  using Exec = DefaultDevice;
  const Exec exec;
  const DevicePattern<Exec> on_device(triangle_named("random"));
  for (const Scheme& scheme : variants_of(wavefronts::grammar(backends::describe(exec)))) {
    const Recording recording;
    const Wavefronts waves(exec, on_device.rows, on_device.reads(), {.scheme = scheme});
    exec.fence("heddle::test::inspected");
    CHECK(strangers(recording.seen()) == "");
    const auto before = recording.seen().size();
    waves.for_each(exec, on_device.mix());
    const std::vector<Event> seen(recording.seen().begin() + static_cast<std::ptrdiff_t>(before),
                                  recording.seen().end());
    exec.fence("heddle::test::ran");
    CHECK(strangers(seen) == "");
    CHECK(count(seen, Event::kernel) == static_cast<int>(seen.size()));
    CHECK(seen.size() >= 1);
    if constexpr (heddle::detail::ordered::on_threads<Exec>) CHECK(seen.size() == 1);
  }
}

TEST_CASE_TEMPLATE_DEFINE("wavefronts: fewer threads are granted than asked for", T, few) {
  using Exec = typename T::Exec;
  const Exec exec;
  const Pattern pattern = triangle_named("grid");
  const auto expected = items_in_order(pattern, SweepDirection::forward);
  const DevicePattern<Exec> one(pattern), other(pattern);
  const Watchdog watchdog("a loop inside a launch");
  for (const char* name : {"barrier", "point-to-point"}) {
    const WavefrontsOptions options{.scheme = Scheme("wavefronts", {{name}, {"grain", "1"}}),
                                    .threads = 4};
    const Wavefronts first(exec, one.rows, one.reads(), options);
    const Wavefronts second(exec, other.rows, other.reads(), options);
    Kokkos::deep_copy(one.items, 5);
    Kokkos::deep_copy(other.items, 5);
    // A parallel region inside another gets one thread, whatever number it requests.
    backends::launch_threads(exec, "heddle::test::outside", 2, [&](int me, int threads) {
      if (me == 0) first.for_each(Exec(), one.mix());
      if (me == threads - 1) second.for_each(Exec(), other.mix());
    });
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(one.items(i) == expected[i]);
      CHECK(other.items(i) == expected[i]);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(few, Every<std::tuple<double>, UsualIndices, NestingBackends>);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: levels that were found elsewhere", T, given) {
  using Exec = typename T::Exec;
  const Exec exec;
  const Watchdog watchdog("wavefronts by levels");
  const auto by_level = [&](const std::vector<int>& levels, const WavefrontsOptions& options) {
    return Wavefronts<Exec>::by_level(exec, copy_in<typename Exec::memory_space>(levels), options);
  };
  std::vector<std::optional<Scheme>> schemes{std::nullopt};
  for (const Scheme& scheme : variants_of(wavefronts::grammar(backends::describe(exec)))) {
    const bool fits = scheme.has("launches") || (scheme.has("barrier") && !scheme.has("chain"));
    if (fits) schemes.emplace_back(scheme);
    if (!fits) CHECK_THROWS_WITH(by_level({0}, {.scheme = scheme}), doctest::Contains("elsewhere"));
  }
  // Levels from the last iteration to the first, against the order of the loop: colors may do so.
  const Pattern upper = reversed(triangle_named("grid"));
  const auto expected = items_in_order(upper, SweepDirection::backward);
  const DevicePattern<Exec> on_device(upper);
  const int n = on_device.rows;
  std::vector<int> levels(static_cast<std::size_t>(n));
  for (int i = n - 1; i >= 0; --i) {
    for (const int j : upper.rows[static_cast<std::size_t>(i)]) {
      int& level = levels[static_cast<std::size_t>(i)];
      if (j > i) level = std::max(level, levels[static_cast<std::size_t>(j)] + 1);
    }
  }
  for (const auto& scheme : schemes) {
    for (const int threads : {0, 1, 3}) {
      const auto waves = by_level(levels, {.scheme = scheme, .threads = threads});
      CAPTURE(waves.scheme().to_string());
      CHECK(waves.levels() == 99);
      for (int repeat = 0; repeat < 2; ++repeat) CHECK(on_device.run(exec, waves) == expected);
    }
  }
  CHECK(by_level({}, {}).levels() == 0);
  CHECK(by_level({2, 0}, {}).levels() == 3);  // the second of them is empty
  CHECK_THROWS_WITH(by_level({0, 1, -1}, {}), doctest::Contains("iteration 2 has a level below"));
}
TEST_CASE_TEMPLATE_APPLY(given, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: a loop in order is not looked at", T, in_order) {
  using Exec = typename T::Exec;
  if constexpr (heddle::detail::ordered::on_threads<Exec>) {
    const Exec exec;
    for (const SweepDirection sweep : {SweepDirection::forward, SweepDirection::backward}) {
      std::vector<int> order;
      const auto waves = Wavefronts<Exec>::in_order(exec, 5, sweep);
      waves.for_each(exec, [&](int i) { order.push_back(i); });
      exec.fence("heddle::test::ran");
      CHECK(order == (sweep == SweepDirection::forward ? std::vector{0, 1, 2, 3, 4}
                                                       : std::vector{4, 3, 2, 1, 0}));
      CHECK(waves.scheme().to_string() == "wavefronts/sequential");
    }
    Wavefronts<Exec>().for_each(exec, [](int) { FAIL("there is nothing to do"); });
  }
}
TEST_CASE_TEMPLATE_APPLY(in_order, Everywhere);

#ifndef HEDDLE_EMULATED
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using backends::ThreadSteps;
namespace ordered = heddle::detail::ordered;

/// A pattern, the options of its loop, and a schedule for it.
struct Scheduled {
  Scheduled(const Pattern& from, WavefrontsOptions with, const char* kernel, int grain,
            int chain = 0)
      : pattern(from), options(std::move(with)) {
    options.scheme = Scheme("wavefronts", {{kernel}, SchemeTerm("grain", std::to_string(grain))});
    if (chain > 0) options.scheme = wavefronts::with_chain(*options.scheme, chain);
    const Exec exec;
    waves = Wavefronts<Exec>(exec, loop().iterations, loop().reads, options);
    const auto order = waves.place_order();
    for (int p = 0; p < loop().iterations; ++p) iterations.push_back(order(p));
  }

  ordered::Loop<int, PatternReads> loop() const {
    return {static_cast<int>(pattern.rows.size()), options.sweep, options.ahead, reads_of(pattern)};
  }
  const ThreadSchedule& schedule() const { return waves.schedule(); }
  bool proved(const ThreadSchedule& by) const { return !broken_dependence(by, iterations, loop()); }

  Pattern pattern;
  WavefrontsOptions options;
  Wavefronts<Exec> waves;
  std::vector<std::int64_t> iterations;
};

/// The schedule of a loop over the rows of a pattern, which outlives it.
Wavefronts<Exec> waves_of(const Pattern& pattern, const WavefrontsOptions& options = {}) {
  return Wavefronts<Exec>(Exec(), static_cast<int>(pattern.rows.size()), reads_of(pattern),
                          options);
}

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
          for (const int chain : {0, 20, 1000}) {
            const Scheduled scheduled(pattern, options, kernel, grain, chain);
            CAPTURE(threads);
            CAPTURE(grain);
            CAPTURE(kernel);
            CAPTURE(chain);
            CHECK(scheduled.schedule().threads == threads);
            CHECK(scheduled.proved(scheduled.schedule()));
            waits += static_cast<std::int64_t>(scheduled.schedule().waits.size());
            tasks += scheduled.schedule().tasks();
          }
        }
      }
      watchdog.progress();
    }
  });
  CHECK(waits > 1000);
  CHECK(tasks > 1000);
}

TEST_CASE("wavefronts: chains are whole lines of a grid, and make fewer stages") {
  constexpr int side = 60;
  const Pattern grid = lower_grid("60 x 60", side);
  const auto upper = reversed(grid);
  for (const bool forward : {true, false}) {
    WavefrontsOptions options{.sweep = forward ? SweepDirection::forward : SweepDirection::backward,
                              .threads = 2};
    const Pattern& pattern = forward ? grid : upper;
    const Scheduled fine(pattern, options, "point-to-point", 1),
        lines(pattern, options, "point-to-point", 1, 1000), none(pattern, options, "barrier", 1, 1);
    CHECK(fine.waves.levels() == 2 * side - 1);
    CHECK(lines.waves.levels() == 2 * side - 1);
    CHECK(lines.waves.scheme().to_string() == "wavefronts/point-to-point,grain=1,chain=1000");
    // A line waits for all of the line before, so lines follow each other.
    CHECK(lines.schedule().tasks() == 1);
    CHECK(fine.schedule().tasks() > side);
    CHECK(none.schedule().task_begin == fine.schedule().task_begin);
    CHECK(none.iterations == fine.iterations);
    // Chains of 20 rows but for the first line, whose rows read less.
    const Scheduled parts(pattern, options, "point-to-point", 1, 20 * 6);
    CHECK(parts.schedule().stages() < fine.schedule().stages());
    CHECK(parts.schedule().waits.size() < fine.schedule().waits.size());
    int whole = 0;
    for (std::size_t p = 0; p + 1 < parts.iterations.size(); ++p) {
      const std::int64_t i = parts.iterations[p], next = parts.iterations[p + 1];
      const bool first_line = forward ? i < side : i >= side * (side - 1);
      if (first_line || (forward ? i + 1 : i) % side % 20 == 0) continue;
      CHECK(next == (forward ? i + 1 : i - 1));
      ++whole;
    }
    CHECK(whole == (side - 1) * 57);
  }
}

TEST_CASE("wavefronts: an inspection takes as much memory as its page says") {
  const AssumedProcessors assumed(2);
  const AssumedThreadCosts costs(backends::ThreadCosts{1e-7, 1e-7});
  const Pattern grid = lower_grid("200 x 200", 200);
  const auto n = static_cast<std::int64_t>(grid.rows.size());
  const auto for_each_iteration = [&](const char* scheme) {
    WavefrontsOptions options{.threads = 2};
    if (scheme) options.scheme = Scheme::parse(scheme);
    const Recording recording;
    const Wavefronts<Exec> waves = waves_of(grid, options);
    // Ten arrays are aligned, each of which takes up to 512 bytes.
    const auto more = static_cast<std::int64_t>(most_held(recording.seen())) - 5120 -
                      static_cast<std::int64_t>(sizeof(int)) * n;
    return static_cast<double>(more) / static_cast<double>(n);
  };
  CHECK(for_each_iteration("wavefronts/point-to-point,grain=1") <= 16);
  // Few chains take nothing while waits are made.
  CHECK(for_each_iteration("wavefronts/point-to-point,grain=1,chain=1000") <= 16);
  CHECK(for_each_iteration("wavefronts/point-to-point,grain=1,chain=1") <= 36);
  CHECK(for_each_iteration(nullptr) <= 36);
}

TEST_CASE("wavefronts: a chain has no more steps than an int counts") {
  const Exec exec;
  const Pattern line = lower_band("line", 9, {1});
  const ordered::Loop<int, PatternReads> loop{9, SweepDirection::forward, ReadsAhead::error,
                                              reads_of(line)};
  const std::vector<int> steps(9, 1 << 29);
  const ordered::ChainLinks<Exec, int> links(exec, loop);
  const ordered::Chains<Exec, int> chains(exec, 9, links, steps.data(), 3000000000);
  REQUIRE(chains.count() == 3);
  for (int c = 0; c < 3; ++c) CHECK(chains.steps()[c] == 3 * (1 << 29));
}

TEST_CASE("wavefronts: chains are taken where waits cost more than they leave to do") {
  const Exec exec;
  const AssumedProcessors assumed(3);
  const auto chosen = [&](const Pattern& pattern, double hand_over) {
    const AssumedThreadCosts costs(backends::ThreadCosts{1e-7, hand_over});
    WavefrontsOptions options;
    options.threads = 3;
    return waves_of(pattern, options).scheme();
  };
  const Pattern grid = lower_grid("400 x 400", 400);
  CHECK(chosen(grid, 1e-7).has("chain"));
  CHECK_FALSE(chosen(lower_band("no neighbours", 200000, {2000}), 1e-7).has("chain"));
  CHECK(chosen(lower_band("one chain", 20000, {1}), 1e-7).has("sequential"));
}

namespace {

/// All entries off the diagonal.
struct OffDiagonal {
  bool has(int row, int column) const { return row != column; }
};

/// The reciprocal of the diagonal; notes the thread that writes it.
struct NotedReciprocal {
  std::thread::id* who;
  double operator()(double diagonal, int row) const {
    who[row] = std::this_thread::get_id();
    return 1 / diagonal;
  }
};

}  // namespace

// Memory lies near the thread that first writes it.
TEST_CASE("wavefronts: the thread that will read a row copies it") {
  const Exec exec;
  const Pattern grid = triangle_named("grid");
  const auto n = static_cast<int>(grid.rows.size());
  for (const int chain : {0, 60}) {
    WavefrontsOptions options;
    options.threads = 2;
    const Scheduled scheduled(grid, options, "point-to-point", 20, chain);
    std::vector<std::thread::id> written(grid.rows.size()), read = written, begun = written;
    std::thread::id *const writes = written.data(), *const reads = read.data(),
                           *const begins = begun.data();
    std::vector<int> row_ptr(grid.rows.row_ptr().begin(), grid.rows.row_ptr().end());
    std::vector<double> values(static_cast<std::size_t>(grid.nonzeros()), 2.0);
    const CsrMatrix<double, int, int, Kokkos::HostSpace> A(
        n, n, static_cast<int>(grid.nonzeros()), row_ptr.data(), grid.rows.col_idx().data(),
        values.data());
    const auto each_place = scheduled.waves.threads_of_places();
    const ordered::ChosenEntries<int, int, OffDiagonal, ordered::PlaceOrder<int>> chosen{
        row_ptr.data(), A.col_idx().data(), {}, scheduled.waves.place_order()};
    ordered::StoredRows<Exec, double, int, int, double, OffDiagonal> rows(
        exec, n, chosen, nullptr, std::nullopt, false, each_place);
    rows.update_values(exec, A, NotedReciprocal{writes}, each_place);
    each_place(exec, "heddle::test::places", n, [&](std::int64_t p) {
      begins[scheduled.waves.place_order()(p)] = std::this_thread::get_id();
    });
    scheduled.waves.for_each(exec, [=](int i) { reads[i] = std::this_thread::get_id(); });
    exec.fence("heddle::test::ran");
    CHECK(written == read);
    CHECK(begun == read);
    const std::set<std::thread::id> threads(read.begin(), read.end());
    CHECK(std::ssize(threads) == std::min(2, exec.concurrency()));
  }
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
        std::vector<ThreadSteps::Word> words(8);
        const ThreadSteps progress(words.data());
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

TEST_CASE("wavefronts: threads are chosen only if they are predicted to gain") {
  struct Choice {
    const char* why;
    Pattern pattern;
    WavefrontsOptions options;
    std::optional<backends::ThreadCosts> costs;  ///< else those that tests assume
    int threads;
  };
  const Pattern wide = lower_band("wide", 200000, {100000}),
                chain = lower_band("chain", 200000, {1}), grid = triangle_named("grid"),
                two_levels = triangle_named("two wide levels"),
                hundred_levels = lower_band("a hundred levels", 200000, {2000});
  using Costs = backends::ThreadCosts;
  const Choice choices[] = {
      {"one is asked for", wide, {.threads = 1}, {}, 1},
      {"two levels are large enough", wide, {.threads = 2}, {}, 2},
      {"no level has two iterations", chain, {.threads = 16}, {}, 1},
      {"no level is large enough", grid, {.threads = 16}, {}, 1},
      {"any gain will do", two_levels, {.threads = 2, .least_gain = 0}, {}, 2},
      {"no gain will do", two_levels, {.threads = 2, .least_gain = 1e9}, {}, 1},
      {"all is cheap", hundred_levels, {.threads = 2}, Costs{1e-6, 0.1e-6}, 2},
      {"a hand-over costs more", hundred_levels, {.threads = 2}, Costs{1e-6, 20e-6}, 1},
      {"a launch costs more", hundred_levels, {.threads = 2}, Costs{1, 0.1e-6}, 1}};
  for (const Choice& choice : choices) {
    CAPTURE(choice.why);
    std::optional<AssumedThreadCosts> assumed;
    if (choice.costs) assumed.emplace(choice.costs);
    const auto waves = waves_of(choice.pattern, choice.options);
    CHECK(waves.schedule().threads == choice.threads);
    CHECK(waves.scheme().has(choice.threads == 1 ? "sequential" : "point-to-point"));
  }
  // Levels that were found elsewhere are judged in the same way.
  std::vector<int> levels(two_levels.rows.size());
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = i % 2 == 0 ? 0 : 1;
  const Kokkos::View<const int*, Kokkos::HostSpace> level(levels.data(), levels.size());
  for (const auto& [least_gain, threads] : {std::pair(0.0, 2), std::pair(1e9, 1)}) {
    const auto given =
        Wavefronts<Exec>::by_level(Exec(), level, {.threads = 2, .least_gain = least_gain});
    CHECK(given.schedule().threads == threads);
  }
}

TEST_CASE("wavefronts: a schedule is made for the threads that have a processor each") {
  const Exec exec;
  const Pattern wide = lower_band("wide", 200000, {100000});
  const auto expected = items_in_order(wide, SweepDirection::forward);
  for (const int processors : {1, 2, 1000000}) {
    const AssumedProcessors assumed(processors);
    const int threads = std::min(processors, exec.concurrency());
    const auto chosen = waves_of(wide);
    const auto pinned = waves_of(wide, {.scheme = Scheme("wavefronts", {{"barrier"}})});
    CHECK(chosen.scheme().has("sequential") == (threads == 1));
    CHECK(pinned.schedule().threads == threads);
    for (const auto* waves : {&chosen, &pinned}) {
      std::vector<std::int64_t> items(expected.size(), 5);
      waves->for_each(exec, MixItems{reads_of(wide), items.data()});
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
  CHECK(gain_on_grid(850, 2) > 1.2);  // measured: 1.4 to 1.7 (perf_tests/results/NOTES-sptrsv.md)
  CHECK(gain_on_grid(420, 24) < gain_on_grid(400, 24));  // larger than the caches
}

TEST_CASE("wavefronts: items that another thread has written are counted, and cost") {
  const Exec exec;
  WavefrontsOptions options;
  options.threads = 3;
  options.scheme = Scheme("wavefronts/point-to-point,grain=20");
  const Pattern grid = triangle_named("grid");
  const int n = static_cast<int>(grid.rows.size());
  const PatternReads reads = reads_of(grid);
  const auto waves = waves_of(grid, options);
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
#endif

}  // namespace heddle::test
