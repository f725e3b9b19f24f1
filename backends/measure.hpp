// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measurement of the schemes that a plan may run.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "../core/arena.hpp"
#include "../core/error.hpp"
#include "../core/multivector.hpp"
#include "loops.hpp"

namespace heddle::detail {

/// The time for measurements is divided into this many shares, one for each scheme.
inline constexpr int most_measured = 8;

/// Seconds of one apply(), which queues work on `exec`, if many are queued: the lowest of several
/// turns, the one that other programs disturbed the least. Runs for about `budget` seconds and at
/// least three applies; waits for `exec`.
template <ExecutionSpace Exec, class Apply>
double seconds_of_apply(const Exec& exec, double budget, const Apply& apply) {
  constexpr int most_applies = 1 << 16;
  const auto seconds_of = [&](int applies) {
    exec.fence("heddle::measure::begin");
    const Kokkos::Timer timer;
    for (int i = 0; i < applies; ++i) apply();
    exec.fence("heddle::measure::end");
    return timer.seconds();
  };
  seconds_of(1);  // the first call loads the kernel
  double least = 0, spent = 0;
  int applies = 1, turns = 0;
  do {
    const double seconds = seconds_of(applies);
    least = turns++ == 0 ? seconds / applies : std::min(least, seconds / applies);
    spent += seconds;
    const bool mostly_waiting = seconds < budget / 8;
    if (mostly_waiting && applies < most_applies) applies *= 2;
  } while (spent < budget || turns < 2);
  return least;
}

/// The fastest of several schemes that are made and measured one after the other, within `seconds`
/// for all. While one is measured, only it and the fastest so far are in memory.
template <class Made>
class Fastest {
 public:
  /// Throws Error if `seconds` is infinite.
  explicit Fastest(double seconds) : seconds_(seconds) {
    if (seconds == std::numeric_limits<double>::infinity()) {
      throw Error("options.measure_seconds is infinite", "give a number of seconds, or 0");
    }
  }

  /// Seconds to measure one scheme, at most.
  double budget() const { return seconds_ / most_measured; }
  /// Whether there is time for another one, which takes `to_make` seconds to make; two always fit.
  bool has_time(double to_make = 0) const {
    return measured_ < 2 || spent_.seconds() + to_make + budget() <= seconds_;
  }
  void offer(Made made, double takes) {
    if (measured_++ > 0 && takes >= least_) return;
    fastest_ = std::move(made);
    least_ = takes;
  }

  std::size_t measured() const { return measured_; }
  Made take() { return std::move(fastest_); }
  /// Reason of the choice, and what else speaks for it.
  std::string reason(const std::string& of_itself) const {
    return "the fastest of " + std::to_string(measured_) + " that were measured; " + of_itself;
  }

 private:
  Kokkos::Timer spent_;
  double seconds_;
  Made fastest_;
  double least_ = 0;
  std::size_t measured_ = 0;
};

/// Vectors of a measured apply: x of ones, and y, which an apply writes; in the number and layout
/// that the plan expects.
template <ExecutionSpace Exec, Scalar V>
class MeasuredVectors {
 public:
  /// One allocation, which lives as long as this object, and one launch.
  MeasuredVectors(const Exec& exec, std::int64_t x_rows, std::int64_t y_rows,
                  const ExpectedVectors& vectors)
      : memory_(exec, "heddle::measure::vectors",
                arena_bytes<V, V>(entries(x_rows, vectors), entries(y_rows, vectors))),
        x_(multivector(x_rows, vectors)),
        y_(multivector(y_rows, vectors)) {
    fill(exec, "heddle::measure::ones", x_.data, x_.rows * x_.count, V(1));
  }

  Multivector<const V> x() const {
    return {x_.data, x_.row_stride, x_.vector_stride, x_.rows, x_.count};
  }
  const Multivector<V>& y() const { return y_; }

 private:
  static std::size_t entries(std::int64_t rows, const ExpectedVectors& vectors) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(vectors.count);
  }
  Multivector<V> multivector(std::int64_t rows, const ExpectedVectors& vectors) {
    V* const data = memory_.template take<V>(entries(rows, vectors)).data();
    return vectors.apart ? Multivector<V>{data, 1, rows, rows, vectors.count}
                         : Multivector<V>{data, vectors.count, 1, rows, vectors.count};
  }

  Arena<typename Exec::memory_space> memory_;
  Multivector<V> x_;
  Multivector<V> y_;
};

}  // namespace heddle::detail
