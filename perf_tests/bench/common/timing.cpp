// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>

#include "table.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr double quiet_seconds = 1, pause_seconds = 0.1;
constexpr int block_repetitions = 10;
// Caches without LRU replacement need several applies to hold a large matrix again.
constexpr int fewest_warm_up_applies = 2;
constexpr int most_warm_up_applies = 10;
constexpr double warm_up_seconds = 0.02;
constexpr int fewest_repetitions = static_cast<int>(fewest_times);
constexpr int fewest_long_repetitions = 2;
/// Most applies of a queue, which has at least two.
constexpr int most_queued = 10;
constexpr double queued_seconds = 0.01;
/// Seconds of long applies after which the next runner has its turn.
constexpr double long_block_seconds = 0.1;
constexpr double clock_warm_up_seconds = 0.05;
/// Entries of the reference work's arrays: 2 MB each, so that most threads' caches hold all three.
constexpr std::size_t reference_entries = std::size_t{1} << 18;
constexpr int references_per_block = 2;

class CacheFlush {
 public:
  CacheFlush(const Exec& exec, const TimingOptions& options) : exec_(exec) {
    if (!options.flush) return;
    constexpr std::size_t least = std::size_t{64} << 20;
    const std::size_t bytes = std::max(least, 2 * options.cache_bytes);
    buffer_ = Buffer(Kokkos::view_alloc(exec, "heddle::bench::flush_buffer"), bytes / 8);
  }
  bool active() const { return buffer_.extent(0) > 0; }
  void operator()() {
    ++round_;
    Kokkos::deep_copy(exec_, buffer_, static_cast<double>(round_));
    exec_.fence("heddle::bench::flush");
  }

 private:
  using Buffer = Kokkos::View<double*, Exec::memory_space>;
  Exec exec_;
  Buffer buffer_;
  int round_ = 0;
};

using Array = Kokkos::View<double*, Exec::memory_space>;

struct ReferenceKernel {
  Array a, b, c;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { a(i) = b(i) + 0.5 * c(i); }
};

/// The reference work: a constant triad on the whole device.
class ReferenceWork {
 public:
  explicit ReferenceWork(const Exec& exec)
      : exec_(exec), kernel_{array("a"), array("b"), array("c")} {}

  void run() const {
    Kokkos::parallel_for("heddle::bench::reference",
                         Kokkos::RangePolicy<Exec>(exec_, 0, reference_entries), kernel_);
  }

 private:
  Array array(const char* name) const {
    return Array(Kokkos::view_alloc(exec_, std::string("heddle::bench::reference_") + name),
                 reference_entries);
  }

  Exec exec_;
  ReferenceKernel kernel_;
};

class Track {
 public:
  Track(const Exec& exec, Clock& clock, const TimingOptions& options)
      : exec_(exec), clock_(clock), options_(options), flush_(exec, options), reference_(exec) {}

  /// Times the reference work. Its first run is not counted: the caches are full of other data.
  void time_reference(Samples& samples) {
    reference_.run();
    exec_.fence("heddle::bench::reference");
    for (int i = 0; i < references_per_block; ++i) {
      clock_.start();
      reference_.run();
      samples.seconds.push_back(clock_.stop());
    }
  }

  bool finished(const Runner& runner, double used_seconds) const {
    const int done = static_cast<int>(runner.time.seconds.size());
    if (done >= options_.repetitions) return true;
    return done >= fewest() && (used_seconds > options_.budget_seconds ||
                                runner.time.median_error() <= options_.precision);
  }

  void run_block(Runner& runner, double used_seconds) {
    const double begin = clock_.host_seconds();
    warm_up(runner);
    const int done = static_cast<int>(runner.time.seconds.size());
    const int count = std::min(block_repetitions, options_.repetitions - done);
    for (int i = 0; i < count; ++i) {
      if (flush_.active()) flush_();
      clock_.start();
      runner.apply();
      runner.time.seconds.push_back(clock_.stop());
      const double used = clock_.host_seconds() - begin;
      const bool slow = used_seconds + used > options_.budget_seconds;
      if (slow && done + i + 1 >= fewest()) return;
      if (options_.long_applies && used > long_block_seconds) return;
    }
    if (flush_.active() || options_.long_applies) return;
    for (int i = 0; i < count; ++i) {
      const double start = clock_.host_seconds();
      runner.apply();
      exec_.fence("heddle::bench::latency");
      runner.latency.seconds.push_back(clock_.host_seconds() - start);
    }
    const int queue = queue_length(runner);
    const bool enough = runner.queued.seconds.size() >= fewest_times;
    for (int i = 0; i < (enough ? 1 : count); ++i) {
      clock_.start();
      for (int k = 0; k < queue; ++k) runner.apply();
      runner.queued.seconds.push_back(clock_.stop() / queue);
    }
  }

  void warm_up(Runner& runner) {
    if (options_.long_applies) return;
    const double begin = clock_.host_seconds();
    for (int i = 0; i < most_warm_up_applies; ++i) {
      if (i >= fewest_warm_up_applies && clock_.host_seconds() - begin > warm_up_seconds) break;
      runner.apply();
      exec_.fence("heddle::bench::warm_up");
    }
  }

 private:
  static int queue_length(const Runner& runner) {
    const double most = queued_seconds / std::max(runner.time.median(), 1e-9);
    return std::clamp(static_cast<int>(std::min(most, 1e3)), 2, most_queued);
  }
  int fewest() const {
    return options_.long_applies ? fewest_long_repetitions : fewest_repetitions;
  }

  Exec exec_;
  Clock& clock_;
  TimingOptions options_;
  CacheFlush flush_;
  ReferenceWork reference_;
};

}  // namespace

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::task(std::string what) {
  what_ = std::move(what);
  task_started_ = host_seconds();
  // A new task of a slow run is shown at once, since it may take long.
  if (shown_) show(what_);
}

void Progress::step(std::size_t done, std::size_t of, const std::string& detail) {
  const double time = host_seconds();
  if (time - task_started_ < quiet_seconds || time - last_shown_ < pause_seconds) return;
  const std::string count = " " + std::to_string(done) + "/" + std::to_string(of);
  show(what_ + (of ? count : "") + (detail.empty() ? "" : " " + detail));
}

void Progress::show(const std::string& text) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\033[K%.100s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
  last_shown_ = host_seconds();
}

void Progress::clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

Samples time_in_turns(const Exec& exec, Clock& clock, std::vector<Runner>& runners,
                      const TimingOptions& options, Progress& progress) {
  Samples reference;
  Track track(exec, clock, options);
  const double start = clock.host_seconds();
  do {
    for (auto& runner : runners) track.warm_up(runner);
  } while (!runners.empty() && clock.host_seconds() - start < clock_warm_up_seconds);

  // The order is shuffled, since a runner with its own matrix fills the caches for the next one.
  std::vector<std::size_t> order(runners.size());
  std::iota(order.begin(), order.end(), 0);
  std::minstd_rand random;
  std::vector<double> used(runners.size(), 0);
  const std::size_t repetitions = static_cast<std::size_t>(options.repetitions);
  for (bool busy = true; busy;) {
    busy = false;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      if (track.finished(runners[i], used[i])) continue;
      progress.step(runners[i].time.seconds.size(), repetitions, runners[i].name);
      track.time_reference(reference);
      const double begin = clock.host_seconds();
      track.run_block(runners[i], used[i]);
      used[i] += clock.host_seconds() - begin;
      busy = true;
    }
  }
  return reference;
}

Samples time_repeated(const Exec& exec, const Repeats& repeats, const std::function<void()>& work,
                      const std::function<bool(const Samples&)>& ends) {
  Stopwatch stopwatch(exec);
  Samples samples;
  work();
  exec.fence("heddle::bench::warm_up");
  const double begin = host_seconds();
  for (int i = 0; i < repeats.most; ++i) {
    if (i >= repeats.least && host_seconds() - begin > repeats.budget_seconds) break;
    if (ends && ends(samples)) break;
    exec.fence("heddle::bench::repeated");
    stopwatch.start();
    work();
    samples.seconds.push_back(stopwatch.stop());
  }
  return samples;
}

TimedScheme time_alone(const Exec& exec, const std::function<void()>& apply,
                       double too_slow_seconds) {
  const auto too_slow = [&](const Samples& samples) {
    return samples.seconds.size() > 1 && samples.min() > too_slow_seconds;
  };
  const Samples samples = time_repeated(exec, {5, 20, 0.1}, apply, too_slow);
  if (too_slow(samples)) return {samples.min(), true};
  return {samples.median(), false};
}

}  // namespace heddle::bench
