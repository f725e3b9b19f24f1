// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "results.hpp"

namespace heddle::bench {

/// A status line on a terminal's stderr; silent in the first second of a task, and if stderr is not
/// a terminal.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;

  void task(std::string what);
  void step(std::size_t done, std::size_t of, const std::string& detail = "");
  void clear();

 private:
  void show(const std::string& text);

  bool terminal_;
  bool shown_ = false;
  double task_started_ = 0, last_shown_ = 0;
  std::string what_;
};

/// Seconds of the host's steady clock.
double host_seconds();

/// Interface of the clocks that times are measured with; tests have their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual void start() = 0;
  /// Waits for the work that was enqueued since start(), and returns its seconds.
  virtual double stop() = 0;
  /// Seconds of the host's clock since some moment.
  virtual double host_seconds() const = 0;
};

/// Times the work of an execution space instance: by events of the device if it has them, else by
/// the host's clock around the work and a fence.
class Stopwatch final : public Clock {
 public:
  explicit Stopwatch(const Kokkos::DefaultExecutionSpace& exec);
  ~Stopwatch() override;
  void start() override;
  double stop() override;
  double host_seconds() const override;
  /// "device events" or "host clock"
  static const char* kind();

 private:
  struct Native;
  std::unique_ptr<Native> native_;
};

struct TimingOptions {
  /// Most repetitions of a contestant.
  int repetitions = 100;
  /// Relative error of the median (Samples::median_error()) at which repetition ends.
  double precision = 0;
  /// Seconds after which a contestant is not repeated further, beyond ten times.
  double budget_seconds = 2;
  /// Whether the caches are overwritten before every repetition.
  bool flush = false;
  /// Whether an apply is long, such as a whole solve: nothing is warmed up, two repetitions are
  /// enough (but the row says so), and none is queued or timed by the host's clock.
  bool long_applies = false;
  std::size_t cache_bytes = 0;
};

/// A contestant that is timed: `apply` enqueues its work.
struct Runner {
  std::string name;
  std::function<void()> apply;
  Samples time, queued, latency;
};

/// Times all runners with one stopwatch. They take turns in blocks of ten repetitions, in another
/// order each round, so that a change of the clocks or of the load affects all of them. Applies
/// before a block are not counted, so that a runner finds its own data in the caches (unless they
/// are flushed), as in a solver that applies one matrix repeatedly.
///
/// A block times single applies on an empty queue, then single applies by the host's clock, then
/// queues of ten applies, or of fewer if these take more than 10 ms. The first block times ten
/// queues, and others one each: a single slow queue then moves no median.
///
/// Returns the times of the reference work, a constant triad in the caches, before every block:
/// they show how steady the machine was.
Samples time_in_turns(const Kokkos::DefaultExecutionSpace& exec, Clock& clock,
                      std::vector<Runner>& runners, const TimingOptions& options,
                      Progress& progress);

/// How often work is repeated: at least `least` times, then until `budget_seconds` have passed, and
/// at most `most` times.
struct Repeats {
  int least, most;
  double budget_seconds;
};
/// Times work that is enqueued, after one run that is not counted, with nothing queued before,
/// until ends(the samples so far), if that is given.
Samples time_repeated(const Kokkos::DefaultExecutionSpace& exec, const Repeats& repeats,
                      const std::function<void()>& work,
                      const std::function<bool(const Samples&)>& ends = {});

/// Times one runner alone: after an apply that is not counted, 20 applies, or those of 0.1 s, but
/// at least 5. It stops from the second on if the fastest took longer than `too_slow_seconds`.
TimedScheme time_alone(const Kokkos::DefaultExecutionSpace& exec,
                       const std::function<void()>& apply, double too_slow_seconds);

}  // namespace heddle::bench
