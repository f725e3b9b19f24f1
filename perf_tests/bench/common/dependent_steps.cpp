// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "../../../backends/cluster.hpp"
#include "../../../backends/device.hpp"
#include "../../../backends/launch.hpp"
#include "../../../backends/mailbox.hpp"
#include "../../../core/error.hpp"
#include "machine.hpp"
#include "timing.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Mail = backends::Mailbox<double, 1>;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;

constexpr int width = backends::max_subwarp_width<Exec>;
constexpr int team_threads = 128;
constexpr int short_chain = 200, long_chain = 1200;
// Many short runs, of which the fastest counts: a shared CPU has few quiet moments.
constexpr int repetitions = 25;

/// A chain with one step for each team, which waits for the step before. Teams draw tickets as they
/// start, so the lowest unfinished step is running and waits for nothing: every wait ends, however
/// few teams are resident. Only one thread of a team works, so none waits within its own warp.
struct FromTeamToTeam {
  using Scratch = backends::DynamicScratch;
  Mail mail;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    const std::int64_t step = team.index();
    double value = step == 0 ? 0 : Mail::not_posted();
    while (!Mail::posted(value)) mail.look(step - 1, 0, value);
    mail.post(step, 0, value + 1);
  }
};

/// A chain in one team: first lanes of its warps write in turns. All threads reach all barriers.
struct InTeam {
  struct Scratch {
    double values[2];
  };
  double* result;
  int steps;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.thread() == 0) scratch.values[0] = 0;
    team.barrier();
    for (int step = 1; step <= steps; ++step) {
      if (team.thread() == step * Team::subwarp_width % Team::threads) {
        scratch.values[step % 2] = scratch.values[(step - 1) % 2] + 1;
      }
      team.barrier();
    }
    if (team.thread() == 0) *result = scratch.values[steps % 2];
  }
};

/// A chain in one cluster, one thread of each team: it polls its team's scratch for the value
/// before. The teams of a cluster run together, and the first does not wait, so every wait ends.
struct InCluster {
  struct Scratch {
    double value;
  };
  double* result;
  int steps;

  template <class Cluster>
  KOKKOS_FUNCTION void operator()(const Cluster& cluster, Scratch& scratch) const {
    const bool works = cluster.team().thread() == 0;
    const int rank = cluster.rank(), teams = cluster.teams();
    if (works) scratch.value = rank == 0 ? 0 : -1;
    cluster.barrier();
    double* const next = cluster.remote(&scratch.value, (rank + 1) % teams);
    for (int step = rank; works && step < steps; step += teams) {
      while (cluster.look(&scratch.value) != step) {
      }
      cluster.post(next, step + 1.0);
      if (step + 1 == steps) *result = steps;
    }
    cluster.barrier();
  }
};

/// A chain in one cluster by barriers, which all threads reach.
struct ByClusterBarrier {
  struct Scratch {
    double values[2];
  };
  double* result;
  int steps;

  template <class Cluster>
  KOKKOS_FUNCTION void operator()(const Cluster& cluster, Scratch& scratch) const {
    const int rank = cluster.rank(), teams = cluster.teams();
    const bool works = cluster.team().thread() == 0;
    if (works) scratch.values[0] = 0;
    cluster.barrier();
    for (int step = 1; step <= steps; ++step) {
      if (works && rank == step % teams) {
        *cluster.remote(&scratch.values[step % 2], (rank + 1) % teams) =
            scratch.values[(step - 1) % 2] + 1;
      }
      cluster.barrier();
    }
    if (works && rank == (steps + 1) % teams) *result = scratch.values[steps % 2];
  }
};

/// A chain in one warp by shuffles, without waits.
struct InWarp {
  using Scratch = backends::NoScratch;
  double* result;
  int steps;
  double factor = 1;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto lanes = team.subwarp();
    const int next = (lanes.lane() + 1) % lanes.width;
    double value = 0;
    for (int step = 0; step < steps; ++step) value = lanes.shuffle(value, next) * factor + 1;
    if (team.thread() == 0) *result = value;
  }
};

/// Bounded wait of a thread of a CPU: it polls a number of times, then pauses, up to a limit.
/// Threads may never run at the same time, inside a parallel region of the program's own or under a
/// limit of threads; one that reaches the limit posts that to all, so every wait ends.
class Patience {
 public:
  KOKKOS_FUNCTION explicit Patience(int* given_up) : given_up_(given_up) {}

  template <class Ready>
  KOKKOS_FUNCTION bool wait(const Ready& ready) {
    for (int looks = 1; !ready(); ++looks) {
      if (looks % looks_in_a_row != 0) continue;
      if (moments_-- == 0) backends::post(given_up_, 1);
      if (backends::look(given_up_) != 0) return false;
      backends::ThisMemory::pause();
    }
    return true;
  }

 private:
  static constexpr int looks_in_a_row = 1000;
  int moments_ = 20000;
  int* given_up_;
};

/// A chain whose steps the threads of a CPU take in turns.
struct FromThreadToThread {
  using Scratch = backends::NoScratch;
  Mail mail;
  int* given_up;
  int threads, steps;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    Patience patience(given_up);
    for (auto step = static_cast<int>(team.index()); step < steps; step += threads) {
      double value = step == 0 ? 0 : Mail::not_posted();
      const auto there = [&] {
        mail.look(step - 1, 0, value);
        return Mail::posted(value);
      };
      if (!patience.wait(there)) return;
      mail.post(step, 0, value + 1);
    }
  }
};

/// A barrier: each thread of a CPU publishes its round, and polls until all others reached it.
struct BarrierOfThreads {
  using Scratch = backends::NoScratch;
  struct alignas(128) Word {
    int round;
  };
  Word* words;
  int* given_up;
  int threads, rounds;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto me = static_cast<int>(team.index());
    Patience patience(given_up);
    for (int round = 1; round <= rounds; ++round) {
      backends::publish(&words[me].round, round);
      for (int other = 1; other < threads; ++other) {
        const int* const from = &words[(me + other) % threads].round;
        if (!patience.wait([&] { return backends::acquire(from) >= round; })) return;
      }
    }
  }
};

struct Clear {
  Mail mail;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const { mail.clear(place); }
};

template <class T>
Array<T> zeros(const Exec& exec, std::size_t count) {
  return Array<T>(Kokkos::view_alloc(exec, "heddle::bench::steps"), count);
}

template <class T>
T value_at(const Exec& exec, const Array<T>& array, int place) {
  T value{};
  Kokkos::deep_copy(exec, value, Kokkos::subview(array, place));
  exec.fence("heddle::bench::step_value");
  return value;
}

void check_value(double value, int steps) {
  if (value == steps) return;
  throw Error(
      "a value that " + std::to_string(steps) + " dependent steps made is " + std::to_string(value),
      "do not trust this device, and report it");
}

/// Seconds of one step. run(steps) prepares, times and checks a chain of `steps`, and returns its
/// seconds, or nothing if it did not finish. The time of a launch cancels in the difference.
template <class Run>
std::optional<double> seconds_per_step(const Run& run) {
  double shorter = std::numeric_limits<double>::infinity(), longer = shorter;
  for (int i = 0; i <= repetitions; ++i) {
    const std::optional<double> few = run(short_chain), many = few ? run(long_chain) : few;
    if (!many) return std::nullopt;
    if (i == 0) continue;  // the first launch loads the kernel
    shorter = std::min(shorter, *few);
    longer = std::min(longer, *many);
  }
  const double difference = (longer - shorter) / (long_chain - short_chain);
  return difference > 0 ? difference : longer / long_chain;
}

/// One place for each value of a chain, cleared before each run.
class Places {
 public:
  explicit Places(const Exec& exec) : exec_(exec), words_(zeros<double>(exec, long_chain)) {}

  Mail empty(int steps) const {
    const Mail mail{words_.data()};
    Kokkos::parallel_for("heddle::bench::steps_clear", Kokkos::RangePolicy<Exec>(exec_, 0, steps),
                         Clear{mail});
    exec_.fence("heddle::bench::steps_clear");
    return mail;
  }
  void check(int steps) const { check_value(value_at(exec_, words_, steps - 1), steps); }

 private:
  Exec exec_;
  Array<double> words_;
};

// Used only on GPUs.
[[maybe_unused]] std::optional<double> measure_team_to_team(const Exec& exec,
                                                            Stopwatch& stopwatch) {
  const Places places(exec);
  const auto next = zeros<std::uint32_t>(exec, 1);
  const backends::Tickets tickets{next.data()};
  // Keeps few teams resident: those that wait for distant steps would slow down those in turn.
  const std::size_t scratch_bytes = backends::describe(exec).scratch_bytes / 4;
  return seconds_per_step([&](int steps) -> std::optional<double> {
    const FromTeamToTeam kernel{places.empty(steps)};
    stopwatch.start();
    backends::launch_by_ticket<backends::Shape<width, width>>(
        exec, "heddle::bench::step_memory", steps, kernel, tickets, scratch_bytes);
    const double seconds = stopwatch.stop();
    places.check(steps);
    return seconds;
  });
}

/// Measures a kernel that writes the last value of its chain, and that launch(kernel) launches.
template <class Kernel, class Launch>
std::optional<double> measure(const Exec& exec, Stopwatch& stopwatch, const Launch& launch) {
  const auto result = zeros<double>(exec, 1);
  return seconds_per_step([&](int steps) -> std::optional<double> {
    stopwatch.start();
    launch(Kernel{result.data(), steps});
    const double seconds = stopwatch.stop();
    check_value(value_at(exec, result, 0), steps);
    return seconds;
  });
}
template <class Kernel, int threads>
std::optional<double> measure_one_team(const Exec& exec, Stopwatch& stopwatch, const char* label) {
  return measure<Kernel>(exec, stopwatch, [&](const Kernel& kernel) {
    backends::launch<backends::Shape<width, threads>>(exec, label, 1, kernel);
  });
}
/// A cluster of eight teams; nothing if the device has no such cluster.
template <class Kernel>
std::optional<double> measure_one_cluster(const Exec& exec, Stopwatch& stopwatch,
                                          const char* label) {
  constexpr int teams = backends::portable_teams_per_cluster;
  if (backends::describe(exec).most_teams_per_cluster < teams) return std::nullopt;
  return measure<Kernel>(exec, stopwatch, [&](const Kernel& kernel) {
    backends::launch_cluster<backends::Shape<width, team_threads>>(exec, label, teams, 1, kernel);
  });
}

/// Seconds of a launch on all `threads` of a CPU; nothing if a thread gave up.
template <class Kernel>
std::optional<double> run_threads(const Exec& exec, const char* label, int threads,
                                  const Kernel& kernel, const Array<int>& given_up) {
  Stopwatch stopwatch(exec);
  stopwatch.start();
  backends::launch<backends::Shape<1>>(exec, label, threads, kernel);
  const double seconds = stopwatch.stop();
  if (value_at(exec, given_up, 0) != 0) return std::nullopt;
  return seconds;
}

}  // namespace

std::optional<double> measure_thread_step(const Exec& exec, int threads) {
  if constexpr (backends::runs_on_host<Exec>) {
    if (threads < 2) return std::nullopt;
    const Places places(exec);
    const auto given_up = zeros<int>(exec, 1);
    return seconds_per_step([&](int steps) {
      const FromThreadToThread kernel{places.empty(steps), given_up.data(), threads, steps};
      const auto seconds =
          run_threads(exec, "heddle::bench::step_threads", threads, kernel, given_up);
      if (seconds) places.check(steps);
      return seconds;
    });
  }
  return std::nullopt;
}

std::optional<double> measure_thread_barrier(const Exec& exec, int threads) {
  if constexpr (backends::runs_on_host<Exec>) {
    if (threads < 2) return std::nullopt;
    using Word = BarrierOfThreads::Word;
    const auto words = zeros<Word>(exec, static_cast<std::size_t>(threads));
    const auto given_up = zeros<int>(exec, 1);
    return seconds_per_step([&](int rounds) {
      Kokkos::deep_copy(exec, words, Word{0});
      exec.fence("heddle::bench::steps_clear");
      const BarrierOfThreads kernel{words.data(), given_up.data(), threads, rounds};
      return run_threads(exec, "heddle::bench::step_barrier", threads, kernel, given_up);
    });
  }
  return std::nullopt;
}

DependentSteps measure_dependent_steps(const Exec& exec) {
  DependentSteps steps;
  if constexpr (backends::has_lanes<Exec>) {
    Stopwatch stopwatch(exec);
    if constexpr (backends::waits_make_progress<Exec>) {
      steps.memory = measure_team_to_team(exec, stopwatch);
    }
    steps.cluster = measure_one_cluster<InCluster>(exec, stopwatch, "heddle::bench::step_cluster");
    steps.cluster_barrier = measure_one_cluster<ByClusterBarrier>(
        exec, stopwatch, "heddle::bench::step_cluster_barrier");
    steps.team =
        measure_one_team<InTeam, team_threads>(exec, stopwatch, "heddle::bench::step_team");
    steps.warp = measure_one_team<InWarp, width>(exec, stopwatch, "heddle::bench::step_warp");
  } else {
    steps.memory = measure_thread_step(exec, exec.concurrency());
    steps.barrier = measure_thread_barrier(exec, exec.concurrency());
  }
  return steps;
}

}  // namespace heddle::bench
