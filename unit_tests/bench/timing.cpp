// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stopwatch, with a clock that only the test advances.
#include "../../perf_tests/bench/common/timing.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "../../perf_tests/bench/common/table.hpp"

using namespace heddle::bench;

namespace {

constexpr double apply_seconds = 37e-6, busy_seconds = 4e-3;

/// A device that needs 37 us for an apply, and a host that is busy at times: it then enqueues the
/// next apply 4 ms late.
class FakeMachine final : public Clock {
 public:
  void start() override { started_ = now_; }
  double stop() override { return now_ - started_; }
  double host_seconds() const override { return now_; }

  void apply() {
    ++applies_;
    now_ += apply_seconds + (busy(applies_) ? busy_seconds : 0);
  }
  bool (*busy)(int apply) = [](int) { return false; };

 private:
  double now_ = 0, started_ = 0;
  int applies_ = 0;
};

ContestantResult time_on(FakeMachine& machine, const TimingOptions& options) {
  const Kokkos::DefaultExecutionSpace exec;
  std::vector<Runner> runners{{"csr/scalar", [&] { machine.apply(); }, {}, {}, {}}};
  Progress progress;
  time_in_turns(exec, machine, runners, options, progress);
  ContestantResult c;
  c.name = runners.front().name;
  c.is_scheme = true;
  c.setup.seconds = {1};
  c.time = runners.front().time;
  c.queued = runners.front().queued;
  c.latency = runners.front().latency;
  return c;
}

}  // namespace

TEST_CASE("an idle machine: ten times of each kind, all alike") {
  FakeMachine machine;
  const ContestantResult c = time_on(machine, {.precision = 0.02});
  for (const Samples* samples : {&c.time, &c.queued, &c.latency}) {
    CHECK(samples->seconds.size() >= 10);
    CHECK(samples->median() == doctest::Approx(apply_seconds));
  }
  CHECK(unsteadiness(c) == "");
}

TEST_CASE("a host that is busy once, while applies are queued, does not become the queued time") {
  // Single applies and latencies are steady, so one block of each would be enough. The delay is
  // some applies later, wherever the warm-up ends: it may not matter at any place.
  for (int late = 0; late < 200; ++late) {
    static int at;
    at = 1370 + late;
    FakeMachine machine;
    machine.busy = [](int apply) { return apply == at; };
    const ContestantResult c = time_on(machine, {.precision = 0.02});
    INFO("apply ", at);
    CHECK(c.queued.seconds.size() >= 10);
    CHECK(c.queued.median() == doctest::Approx(apply_seconds));
    CHECK(unsteadiness(c) == "");
  }
}

TEST_CASE("a host that is busy half of the time is seen in the row") {
  FakeMachine machine;
  machine.busy = [](int apply) { return apply / 64 % 2 == 0 && apply % 8 == 0; };
  const ContestantResult c = time_on(machine, {.repetitions = 40});
  CHECK(unsteadiness(c).find("spreads") != std::string::npos);
  MatrixResult result;
  result.apply_bytes = 1000;
  result.contestants = {c};
  std::ostringstream out;
  print_rows(out, result, {time_column(), spread_column()});
  CHECK(out.str().find("  unsteady: " + unsteadiness(c)) != std::string::npos);
}

TEST_CASE("few repetitions are few, whatever they are") {
  FakeMachine machine;
  const ContestantResult c = time_on(machine, {.repetitions = 5});
  CHECK(c.time.seconds.size() == 5);
  CHECK(unsteadiness(c) == "time of 5 repetitions");
}

TEST_CASE("applies behind each other that take longer than with waits are none of the device's") {
  ContestantResult c;
  const std::vector<double> ten(10, 37e-6), slow(10, 429e-6);
  c.time.seconds = c.latency.seconds = ten;
  c.queued.seconds = slow;
  CHECK(c.queued.spread() == 0);
  CHECK(unsteadiness(c) == "queued takes longer than with waits");
  c.queued.seconds = {429e-6};
  CHECK(unsteadiness(c) == "queued of 1 repetition");
}

TEST_CASE("a long apply is timed ten times too, though the budget is used up") {
  FakeMachine machine;
  machine.busy = [](int) { return true; };
  const ContestantResult c = time_on(machine, {.budget_seconds = 1e-3});
  CHECK(c.time.seconds.size() == 10);
  CHECK(c.queued.empty());
  CHECK(unsteadiness(c) == "");
}
