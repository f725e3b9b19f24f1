// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The guard of a solve: forecasts, turns of other pairs, and pairs that wait for a trial.
#include <algorithm>
#include <numeric>
#include <random>

#include "../../../solvers/solve/guard.hpp"
#include "../../support/error_of.hpp"
#include "../../support/solves.hpp"

namespace heddle::test {

TEST_CASE("a forecast is the mean rate of the last half, or half that of all on a plateau") {
  heddle::detail::solve::Forecast forecast;
  CHECK(forecast.left(1e-8) == std::numeric_limits<double>::infinity());
  for (int k = 0; k <= 10; ++k) forecast.add(10 * k, std::pow(10, -k / 5.0));
  CHECK(forecast.left(1e-8) == doctest::Approx(300));
  CHECK(forecast.left(1e-1) == 0);
  for (int k = 11; k <= 30; ++k) forecast.add(10 * k, 1);  // a rise counts as no gain
  CHECK(forecast.left(1e-8) == doctest::Approx(1800));     // 2 digits in 300 iterations, halved
  heddle::detail::solve::Forecast still;
  for (int k = 0; k <= 10; ++k) still.add(10 * k, 1);
  CHECK(still.left(1e-8) == std::numeric_limits<double>::infinity());
}

TEST_CASE("a rival has its turn, and a trial ends") {
  using heddle::detail::solve::Guard;
  const std::function<bool(int, double)> none;
  std::vector<std::pair<int, double>> history;
  using heddle::detail::solve::Rival;
  const Kokkos::Timer timer;
  const auto guard_of = [&](int limit) {
    Guard guard;
    guard.timer = &timer;
    guard.max_seconds = 1e9;
    guard.target = 1e-8;
    guard.predicted = 200;
    guard.seconds_of_iteration = 1;
    guard.iterations_left = limit;
    guard.callback = &none;
    history.clear();
    guard.history = &history;
    return guard;
  };
  // 100 iterations a digit, 8 digits: 800 iterations of a second.
  const auto residual = [](int k) { return std::pow(10, -k / 100.0); };
  const auto due_at = [&](const Rival& rival, int limit = 1000, double in_trials = 0) {
    Guard guard = guard_of(limit);
    guard.rivals = {rival};
    guard.in_trials = in_trials;
    for (int k = 0; k < 800; k += 10) {
      if (!guard.go_on(k, residual(k))) {
        CHECK(guard.stopped == Guard::Stopped::by_limit);
        return -k;
      }
      if (!guard.due(k)) continue;
      CHECK(guard.left == doctest::Approx(800 - k));
      CHECK(history.size() == std::size_t(k / 10 + 1));
      return k;
    }
    return 800;
  };
  const auto other = [](double iterations) { return Rival{0, iterations, 1, false, 0}; };
  // Not before it took as long as the other one is predicted to take: 220 > 300 * 580 / 800.
  CHECK(due_at(other(300)) == 220);  // 580 > 1.5 * 217.5
  CHECK(due_at(other(600)) == 800);  // 760 < 1.5 * 570
  CHECK(due_at(other(20)) == 20);
  CHECK(due_at(other(300), 1000, 100) == 300);  // 300 > 100 + 300 * 500 / 800
  // One that is alike misses its prediction by 800 / 200 as well, and not its set-up.
  CHECK(due_at({0, 300, 1, true, 0}) == 800);
  CHECK(due_at({0, 100, 1, true, 0}) == 270);   // 530 > 1.5 * 4 * 66.25, and 270 > 4 * 66.25
  CHECK(due_at({150, 25, 1, true, 0}) == 230);  // 230 > 150 + 4 * 17.8
  CHECK(due_at({350, 25, 1, true, 0}) == 800);  // 400 < 1.5 * (350 + 4 * 12.5)
  // A limit that the other one alone is predicted to meet, once it leaves little more than twice
  // its need: 710 + 2 * 11.25 + 20 > 750.
  CHECK(due_at({1e6, 100, 1, false, 0}, 750) == 710);
  CHECK(due_at({1e6, 100, 1, false, 0}, 900) == 800);
  CHECK(due_at({1e6, 100, 1, false, 0}, 100) == 800);
  // After a trial the limit of all is kept, two products a step.
  CHECK(due_at(other(600), 300, 1) == -290);

  // The one of the least predicted time has its turn first.
  Guard both = guard_of(1000);
  both.rivals = {{0, 100, 1, false, 4}, {0, 50, 1, false, 7}, {30, 50, 1, false, 8}};
  for (int k = 0; k <= 100; k += 10) CHECK(both.go_on(k, residual(k)));
  REQUIRE(both.due(100));
  CHECK(both.due(100)->pair == 7);

  // A trial ends once its rest is forecast to take longer than that of the pair that waits, but not
  // before its own prediction.
  const auto ends_at = [&](double waiting) {
    Guard guard = guard_of(1000);
    guard.waiting = waiting;
    guard.earliest = 200;
    for (int k = 0; k < 800; k += 10) {
      if (guard.go_on(k, residual(k))) continue;
      CHECK(guard.stopped == Guard::Stopped::by_forecast);
      return k;
    }
    return 800;
  };
  CHECK(ends_at(595) == 200);
  CHECK(ends_at(605) == 800);
  CHECK(ends_at(10) == 200);
}

TEST_CASE("a pair that misses its prediction waits for another one, and goes on if that is worse") {
  // The bandwidth of a chain in a random order does not show its length.
  const auto chain = [](int n, double next) {
    std::vector<int> place(static_cast<std::size_t>(n)), at(place.size());
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), std::mt19937(7));
    for (int k = 0; k < n; ++k) at[std::size_t(place[std::size_t(k)])] = k;
    return operator_where<Exec, double>(
        n,
        [=](int i, const auto& add) {
          const int k = at[std::size_t(i)];
          std::vector<int> columns{i};
          if (k > 0) columns.push_back(place[std::size_t(k - 1)]);
          if (k + 1 < n) columns.push_back(place[std::size_t(k + 1)]);
          std::sort(columns.begin(), columns.end());
          for (const int j : columns) add(j);
        },
        [=](int i, int j) { return i == j ? 2.0 : next; });
  };
  const Plain a = chain(4000, -1);
  const Vector b = right_hand_side<double>(a.n, 1);
  const auto [x, report] = heddle::solve(Exec(), a.matrix(), b);
  const auto& ran = report.attempts;
  CAPTURE(report.to_string());
  CHECK(report.converged());
  CHECK(relative_residual(a, b, x) <= 1.0001e-8);
  REQUIRE(ran.size() > 1);
  CHECK(ran[0].pair == "cg/none");
  CHECK(mentions(ran[0].ended, "waits"));
  CHECK(mentions(ran[0].ended, ran[1].pair));
  int sum = 0;
  for (const SolveAttempt& one : ran) sum += one.iterations;
  CHECK(sum == report.iterations);
  // The iteration that waited has lost nothing: its residuals are those of the same pair alone.
  const SolveReport alone = heddle::solve(Exec(), a.matrix(), b, {.pair = "cg/none"}).second;
  const auto residual_at = [](const SolveReport& of, int iteration) {
    for (const auto& [at, residual] : of.history) {
      if (at == iteration) return residual;
    }
    return -1.0;
  };
  int others = 0, own = 0;
  for (const SolveAttempt& one : ran) {
    if (one.pair != "cg/none") {
      others += one.iterations;
      continue;
    }
    own += one.iterations;
    CHECK(residual_at(report, own + others) == residual_at(alone, own));
  }
}

TEST_CASE("where GMRES gains nothing from restart to restart another method has its turn") {
  for (const int side : {20, 30, 40}) {
    const Plain a = poisson(side, 1);
    for (const unsigned seed : {1u, 2u, 3u}) {
      CAPTURE(side);
      CAPTURE(seed);
      const Vector b = right_hand_side<double>(a.n, seed);
      const auto [x, report] = heddle::solve(Exec(), a.matrix(), b);
      CAPTURE(report.to_string());
      CHECK(report.converged());
      CHECK(relative_residual(a, b, x) <= 1.0001e-8);
      CHECK(report.iterations < 5000);
    }
  }
}

}  // namespace heddle::test
