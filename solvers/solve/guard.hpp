// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

/// The end of an iteration, forecast from its residuals, and the decision to leave it.
namespace heddle::detail::solve {

/// Residuals that the host has seen, by which the rest of an iteration is forecast.
class Forecast {
 public:
  void clear() { seen_.clear(); }
  void add(int iterations, double residual) {
    if (!seen_.empty()) residual = std::min(residual, seen_.back().least);
    seen_.push_back({iterations, residual});
  }
  /// The least residual so far.
  double least() const { return seen_.back().least; }
  /// Iterations that are left until the residual is `target`, at the mean rate of the last half of
  /// those so far, or at half the mean rate of all if that is larger, since a plateau ends;
  /// infinite if nothing was gained.
  double left(double target) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    if (seen_.size() < 2) return never;
    const Seen& now = seen_.back();
    if (now.least <= target) return 0;
    const auto half = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& of) {
      return 2 * of.iterations >= now.iterations;
    });
    const auto rate_from = [&](const Seen& before) {
      return std::log(before.least / now.least) / (now.iterations - before.iterations);
    };
    const double rate =
        std::max(rate_from(half + 1 == seen_.end() ? seen_[seen_.size() - 2] : *half),
                 rate_from(seen_.front()) / 2);
    if (!(rate > 0) || !(target > 0)) return never;
    return std::log(now.least / target) / rate;
  }

 private:
  struct Seen {
    int iterations;
    double least;  ///< the least residual so far
  };
  std::vector<Seen> seen_;
};

/// Another pair is tried if the rest of an iteration is forecast to take more than this many times
/// its price.
inline constexpr double patience = 1.5;
/// Iterations between two checks of the host at most: 10 steps, of two products each.
inline constexpr int margin = 20;
/// Iterations before which no forecast counts.
inline constexpr int least_seen = 20;

/// The factor by which a pair misses its predicted iterations: at least 1, at most 8, and 4 without
/// a forecast. All pairs but those with multigrid have their iterations from one condition, so that
/// they are expected to miss theirs by the same factor; but a plateau, as of GMRES that restarts
/// too soon, says nothing of another method.
inline double missed_by(double predicted, double so_far, double left) {
  if (!std::isfinite(left)) return 4;
  return std::clamp((so_far + left) / std::max(predicted, 1.0), 1.0, 8.0);
}

/// Another pair, which may be tried while an iteration waits.
struct Rival {
  double setup_seconds = 0;  ///< its part of this solve
  double iterations = 0;     ///< predicted, for the whole tolerance
  double seconds_of_iteration = 0;
  bool alike = false;  ///< whether its iterations are predicted from the same condition
  int pair = 0;        ///< its place in the list of pairs
};

/// Watches an iteration from its callback: forecasts its end, and counts what all pairs did.
///
/// An iteration is never given up for another pair that is only predicted to be faster. That one is
/// tried from the x so far while the iteration waits, and goes on as long as it is forecast to end
/// before the iteration would; then the iteration continues where it was. All trials together take
/// no longer than the iteration itself before another one begins, by predicted times.
struct Guard {
  enum class Stopped { no, by_trial, by_forecast, by_limit, by_time, by_user };

  Forecast forecast;
  const Kokkos::Timer* timer = nullptr;
  double seconds_before = 0, max_seconds = 0;
  double began = 0;   ///< seconds() when the iteration began, and those of trials
  double target = 0;  ///< positive; relative to the norm of b, as residuals are
  std::vector<Rival> rivals;
  double seconds_of_iteration = 0;
  double predicted = 0;  ///< iterations
  int earliest = least_seen;
  int before = 0;           ///< iterations of pairs before
  int iterations_left = 0;  ///< the limit of this iteration
  double left = 0;          ///< iterations of the last forecast
  double in_trials = 0;     ///< seconds, as predicted, of trials while the iteration waited
  /// The seconds that the iteration that waits is forecast to take yet, if this is a trial.
  double waiting = std::numeric_limits<double>::infinity();
  Stopped stopped = Stopped::no;
  std::exception_ptr thrown;  ///< by the callback
  const std::function<bool(int, double)>* callback = nullptr;
  std::vector<std::pair<int, double>>* history = nullptr;

  double seconds() const { return seconds_before + timer->seconds(); }

  /// The part of the digits of the whole tolerance that a residual still lacks.
  double fraction(double residual) const {
    return std::clamp(std::log(residual / target) / std::log(1 / std::min(target, 0.5)), 0.01, 1.0);
  }

  /// Takes what the host has seen. Returns false if the iteration has to end: `stopped` says why.
  bool go_on(int iterations, double residual) {
    if (stopped != Stopped::no) return false;
    // A pair begins, and ends, where another check has been.
    if (history->empty() || history->back().first < before + iterations) {
      history->emplace_back(before + iterations, residual);
    }
    try {
      if (*callback && !(*callback)(before + iterations, residual)) stopped = Stopped::by_user;
    } catch (...) {  // thrown again once x is in order
      thrown = std::current_exception();
      stopped = Stopped::by_user;
    }
    if (stopped != Stopped::no) return false;
    if (seconds() > max_seconds) {
      stopped = Stopped::by_time;
      return false;
    }
    if (in_trials > 0 && iterations + margin > iterations_left) {  // more than the method knows of
      stopped = Stopped::by_limit;
      return false;
    }
    forecast.add(iterations, residual);
    left = forecast.left(target);
    if (iterations >= earliest && rest(iterations) > waiting) stopped = Stopped::by_forecast;
    return stopped == Stopped::no;
  }

  /// The iterations that are forecast yet: without a gain as many as so far, or until four times
  /// the predicted ones.
  double more(int iterations) const {
    return std::isfinite(left) ? left : std::max<double>(iterations, 4 * predicted - iterations);
  }
  /// The seconds of these iterations, as predicted.
  double rest(int iterations) const { return more(iterations) * seconds_of_iteration; }

  /// The rival that has its turn, or null: the one of the least predicted time, if that is less
  /// than two thirds of the rest of this iteration, or if it meets the limits alone. It has its
  /// turn once this iteration took as long as the rival is predicted to take, so that a plateau or
  /// a wrong price at most doubles the time, or when a limit leaves it little more than twice its
  /// need.
  const Rival* due(int iterations) const {
    if (iterations < earliest) return nullptr;
    const double missed = missed_by(predicted, iterations, left);
    const double pace = (seconds() - began) / std::max(iterations, 1);
    const bool over = !fits(iterations, more(iterations), more(iterations) * pace);
    // Others are as much slower than predicted as this iteration is.
    const double slowed = std::max(1.0, pace / seconds_of_iteration);
    const Rival* first = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Rival& rival : rivals) {
      const double needs = needs_of(rival, missed);
      const double time = rival.setup_seconds + needs * rival.seconds_of_iteration;
      const bool slower = over || rest(iterations) > patience * time;
      const bool has_turn = iterations * seconds_of_iteration >= in_trials + time;
      if (fits(iterations, needs, slowed * time) && slower && time < least &&
          (has_turn || (over && !fits(iterations, 2 * needs + margin, 2 * slowed * time)))) {
        first = &rival;
        least = time;
      }
    }
    return first;
  }
  /// Iterations that a rival is predicted to need yet.
  double needs_of(const Rival& rival, double missed) const {
    return fraction(forecast.least()) * rival.iterations * (rival.alike ? missed : 1);
  }

 private:
  bool fits(int iterations, double more, double seconds_more) const {
    return iterations + more <= iterations_left && seconds() + seconds_more <= max_seconds;
  }
};

}  // namespace heddle::detail::solve
