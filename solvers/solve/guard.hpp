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
  /// those so far; infinite if nothing was gained in them.
  double left(double target) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    if (seen_.size() < 2) return never;
    const Seen& now = seen_.back();
    if (now.least <= target) return 0;
    const auto half = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& of) {
      return 2 * of.iterations >= now.iterations;
    });
    const Seen& before = half + 1 == seen_.end() ? seen_[seen_.size() - 2] : *half;
    const double gained = std::log(before.least / now.least);
    if (!(gained > 0) || !(target > 0)) return never;
    return std::log(now.least / target) / gained * (now.iterations - before.iterations);
  }

 private:
  struct Seen {
    int iterations;
    double least;  ///< the least residual so far
  };
  std::vector<Seen> seen_;
};

/// A pair is left if the rest of its iterations is forecast to take more than this many times the
/// price of another one.
inline constexpr double patience = 1.5;
/// Iterations beside twice the need of another pair that a limit is to leave it, since the host
/// checks every 10: a guess.
inline constexpr int margin = 20;
/// A pair that was left so often runs to its end.
inline constexpr int most_stops = 3;

/// The factor by which a pair misses its predicted iterations, at least 1, at most 4 without a
/// forecast. All pairs but those with multigrid have their iterations from one condition, so that
/// they are expected to miss theirs by the same factor.
inline double missed_by(double predicted, double so_far, double left) {
  if (!std::isfinite(left)) return 4;
  return std::max(1.0, (so_far + left) / std::max(predicted, 1.0));
}

/// Another pair, for which an iteration may be left.
struct Rival {
  double setup_seconds = 0;  ///< its part of this solve
  double iterations = 0;     ///< predicted, for the whole tolerance
  double seconds_of_iteration = 0;
  bool alike = false;  ///< whether its iterations are predicted from the same condition
};

/// Watches an iteration from its callback: forecasts its end, and counts what all pairs did.
struct Guard {
  enum class Stopped { no, by_forecast, by_time, by_user };

  Forecast forecast;
  Kokkos::Timer timer;
  double seconds_before = 0, max_seconds = 0;
  double began = 0;   ///< seconds() when the iteration began
  double target = 0;  ///< positive; relative to the norm of b, as residuals are
  std::vector<Rival> rivals;
  double seconds_of_iteration = 0;
  double predicted = 0;     ///< iterations
  int earliest = 0;         ///< iterations before which no forecast counts
  int before = 0;           ///< iterations of pairs before
  int iterations_left = 0;  ///< the limit of this iteration
  double left = 0;          ///< iterations of the last forecast
  Stopped stopped = Stopped::no;
  std::exception_ptr thrown;  ///< by the callback
  const std::function<bool(int, double)>* callback = nullptr;
  std::vector<std::pair<int, double>>* history = nullptr;

  double seconds() const { return seconds_before + timer.seconds(); }

  /// The part of the digits of the whole tolerance that a residual still lacks.
  double fraction(double residual) const {
    return std::clamp(std::log(residual / target) / std::log(1 / std::min(target, 0.5)), 0.01, 1.0);
  }

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
    const double now = seconds();
    if (now > max_seconds) {
      stopped = Stopped::by_time;
    } else {
      forecast.add(iterations, residual);
      left = forecast.left(target);
      if (iterations >= earliest && is_late(iterations, now)) stopped = Stopped::by_forecast;
    }
    return stopped == Stopped::no;
  }

 private:
  /// Whether a rival that meets the limits is predicted to end much earlier, or meets them alone.
  /// It has its turn once this iteration took as long as the rival is predicted to take, so that a
  /// plateau or a wrong price at most doubles the time, or when a limit leaves it little more than
  /// twice its need.
  bool is_late(int iterations, double now) const {
    const double missed = missed_by(predicted, iterations, left);
    const double pace = (now - began) / std::max(iterations, 1);
    const auto fits = [&](double more, double seconds) {
      return iterations + more <= iterations_left && now + seconds <= max_seconds;
    };
    const bool over = !fits(left, left * pace);
    return std::any_of(rivals.begin(), rivals.end(), [&](const Rival& rival) {
      const double needs =
          fraction(forecast.least()) * rival.iterations * (rival.alike ? missed : 1);
      const double time = rival.setup_seconds + needs * rival.seconds_of_iteration;
      const bool slower = over || left * seconds_of_iteration > patience * time;
      const bool has_turn = iterations * seconds_of_iteration >= time;
      return fits(needs, time) && slower &&
             (has_turn || (over && !fits(2 * needs + margin, 2 * time)));
    });
  }
};

}  // namespace heddle::detail::solve
