// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/algorithms/sort.hpp"
#include "../../backends/atomics.hpp"
#include "../../backends/host/progress.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/search.hpp"
#include "levels.hpp"
#include "loop.hpp"

namespace heddle::detail::ordered {

/// A wait until `thread` has finished its tasks of all stages before `stage`.
struct Wait {
  int thread;
  int stage;
};

/// The schedule of a loop on CPU threads.
///
/// Iterations are at places, stage by stage. A stage is cut into tasks, runs of places: its t-th
/// task is thread t's. A task runs its places in order. Tasks of a stage do not depend on each
/// other. Stages are ordered by a barrier after each of them, or by the waits of tasks.
struct ThreadSchedule {
  int threads = 1;
  bool barriers = true;
  std::vector<std::int64_t> stage_begin = {0};  ///< the first task of each stage, and their number
  std::vector<std::int64_t> task_begin = {0};   ///< the first place of each task, and their number
  std::vector<std::int64_t> wait_begin = {};    ///< the first wait of each task; none with barriers
  std::vector<Wait> waits = {};

  int stages() const { return static_cast<int>(stage_begin.size()) - 1; }
  std::int64_t tasks() const { return static_cast<std::int64_t>(task_begin.size()) - 1; }
  std::size_t bytes() const {
    return sizeof(std::int64_t) * (stage_begin.size() + task_begin.size() + wait_begin.size()) +
           sizeof(Wait) * waits.size();
  }

  /// A schedule of all places in order, on one thread.
  static ThreadSchedule in_order(std::int64_t places) {
    ThreadSchedule schedule;
    if (places == 0) return schedule;
    schedule.stage_begin = {0, 1};
    schedule.task_begin = {0, places};
    return schedule;
  }
};

/// Runs the share of thread `me` of `granted` threads, which may be fewer than the schedule's: each
/// then runs the tasks of several. body(first, stop) runs a run of places.
///
/// Why it ends: every thread reaches every barrier. Every other wait is for tasks of earlier
/// stages, and a thread runs its tasks stage by stage. Consider the unfinished tasks of the lowest
/// stage, and of these the first of any thread: all that this thread runs before it is done, and
/// all that it waits for, so it ends. So every task ends, for any number of threads in any
/// interleaving.
template <class Body>
void run_share(const ThreadSchedule& schedule, int me, int granted,
               const backends::ThreadSteps& progress, const Body& body) {
  backends::SpinThenYield spin;
  const auto* const stage_begin = schedule.stage_begin.data();
  const auto* const task_begin = schedule.task_begin.data();
  const auto* const wait_begin = schedule.wait_begin.data();
  const int stages = schedule.stages();
  const bool barriers = schedule.barriers;
  for (int stage = 0; stage < stages; ++stage) {
    const std::int64_t first = stage_begin[stage], tasks = stage_begin[stage + 1] - first;
    for (std::int64_t thread = me; thread < tasks; thread += granted) {
      const std::int64_t task = first + thread;
      if (!barriers) {
        for (std::int64_t w = wait_begin[task]; w < wait_begin[task + 1]; ++w) {
          const Wait wait = schedule.waits[static_cast<std::size_t>(w)];
          progress.await(wait.thread, wait.stage, spin);
        }
      }
      body(task_begin[task], task_begin[task + 1]);
      if (!barriers) progress.reach(static_cast<int>(thread), stage + 1);
    }
    if (barriers && stage + 1 < stages) progress.barrier(me, granted, stage + 1, spin);
  }
}

/// Loops over places that do not depend on each other, each by the thread that runs it in
/// run_share: memory lies near the thread that first writes it. A schedule of one thread, and a
/// device with lanes, have equal shares of all threads.
struct ThreadsOfPlaces {
  const ThreadSchedule* schedule;

  template <ExecutionSpace Exec, class Body>
  void operator()(const Exec& exec, const char* label, std::int64_t places,
                  const Body& body) const {
    if constexpr (on_threads<Exec>) {
      const ThreadSchedule& by = *schedule;
      if (by.threads > 1) {
        return backends::launch_threads(exec, label, by.threads, [&](int me, int threads) {
          for (std::size_t stage = 0; stage + 1 < by.stage_begin.size(); ++stage) {
            const std::int64_t first = by.stage_begin[stage];
            for (std::int64_t task = first + me; task < by.stage_begin[stage + 1];
                 task += threads) {
              const std::int64_t* const edge = by.task_begin.data() + task;
              for (std::int64_t p = edge[0]; p < edge[1]; ++p) body(p);
            }
          }
        });
      }
    }
    Kokkos::parallel_for(label, range_policy(exec, places), body);
  }
};

/// The stages that levels make.
struct Stages {
  std::vector<int> of_level;
  std::vector<int> tasks;  ///< tasks of each stage; 1 if it is not worth more threads
};

/// Makes stages of levels, from the steps and the iterations, or chains, of each. A level has one
/// thread for each `grain` steps. If thin_ones_join, consecutive levels that are worth one thread
/// only are one stage, run in the order of the loop.
inline Stages make_stages(const std::vector<std::int64_t>& level_steps,
                          const std::vector<std::int64_t>& level_iterations, int threads,
                          std::int64_t grain, bool thin_ones_join = true) {
  Stages stages;
  for (std::size_t level = 0; level < level_steps.size(); ++level) {
    const std::int64_t most = std::min<std::int64_t>(threads, level_iterations[level]);
    const std::int64_t worth = std::min(level_steps[level] / grain, most);
    const int tasks = static_cast<int>(std::max<std::int64_t>(1, worth));
    const bool goes_on =
        thin_ones_join && tasks == 1 && !stages.tasks.empty() && stages.tasks.back() == 1;
    if (!goes_on) stages.tasks.push_back(tasks);
    stages.of_level.push_back(static_cast<int>(stages.tasks.size()) - 1);
  }
  return stages;
}

/// Gives the tasks of a schedule the waits that they need and that no other wait implies.
///
/// needed[task * threads + t] is one more than the last stage of thread t whose task this one
/// depends on, or 0. A wait is left out if the thread itself waited that far before, or if another
/// wait implies it, since a task that is waited for has itself waited for others. For that, every
/// task keeps how far all threads are known to be when it begins. Waits of a task are processed
/// from the latest stage down, since none implies a later one; so no wait is left that the others
/// imply.
///
/// tasks * threads words of memory while it runs. Source: J. Park et al., "Sparsifying
/// synchronization for high-performance shared-memory sparse triangular solver", ISC 2014, which
/// drops the waits that two others imply; here a chain of any length does.
inline void sparsify(ThreadSchedule& schedule, const std::vector<int>& needed) {
  const auto threads = static_cast<std::size_t>(schedule.threads);
  const auto tasks = static_cast<std::size_t>(schedule.tasks());
  schedule.barriers = false;
  schedule.wait_begin.assign(1, 0);
  schedule.wait_begin.reserve(tasks + 1);
  std::vector<int> known(tasks * threads);
  std::vector<std::int64_t> last(threads, -1);  // the last task of each thread
  std::vector<Wait> wanted;
  for (int stage = 0; stage < schedule.stages(); ++stage) {
    const std::int64_t first = schedule.stage_begin[static_cast<std::size_t>(stage)];
    const std::int64_t stop = schedule.stage_begin[static_cast<std::size_t>(stage) + 1];
    for (std::int64_t task = first; task < stop; ++task) {
      const auto me = static_cast<std::size_t>(task - first);
      int* const now = known.data() + static_cast<std::size_t>(task) * threads;
      const auto learn = [&](std::int64_t other) {
        const int* const then = known.data() + static_cast<std::size_t>(other) * threads;
        for (std::size_t t = 0; t < threads; ++t) now[t] = std::max(now[t], then[t]);
      };
      if (last[me] >= 0) learn(last[me]);
      const int* const need = needed.data() + static_cast<std::size_t>(task) * threads;
      wanted.clear();
      for (std::size_t t = 0; t < threads; ++t) {
        if (t != me && need[t] > now[t]) wanted.push_back({static_cast<int>(t), need[t]});
      }
      std::stable_sort(wanted.begin(), wanted.end(),
                       [](const Wait& a, const Wait& b) { return a.stage > b.stage; });
      for (const Wait& wait : wanted) {
        int& reached = now[static_cast<std::size_t>(wait.thread)];
        if (wait.stage <= reached) continue;
        schedule.waits.push_back(wait);
        reached = wait.stage;
        learn(schedule.stage_begin[static_cast<std::size_t>(wait.stage) - 1] + wait.thread);
      }
      now[me] = stage;  // its own earlier tasks are done
      last[me] = task;
      schedule.wait_begin.push_back(static_cast<std::int64_t>(schedule.waits.size()));
    }
  }
}

/// The loop cut into contiguous shares, with the numbers of iterations and steps of each level in
/// each.
struct LevelCounts {
  std::int64_t shares = 1;
  std::vector<std::int64_t> iterations;  ///< those of share s and level l at s * levels + l
  std::vector<std::int64_t> steps;       ///< steps of each level
  std::vector<std::int64_t> sizes;       ///< iterations of each level
  std::vector<std::int64_t> units;       ///< chains of each level; empty: there are only iterations
  std::int64_t torn = 0;                 ///< iterations whose level is not that of the previous one
};

/// Counts the iterations and steps of each level. There are as many shares as threads, if levels
/// are few enough to count them in each. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelCounts count_levels(const Exec& exec, const Loop<O, Reads>& loop, const int* level,
                         const int* steps, int levels) {
  const std::int64_t n = loop.iterations;
  const auto size = static_cast<std::size_t>(levels);
  LevelCounts counts;
  counts.shares =
      std::clamp<std::int64_t>(4 * n / std::max(1, levels), 1, backends::threads_at_once(exec));
  const std::int64_t shares = counts.shares;
  counts.iterations.assign(static_cast<std::size_t>(shares) * size, 0);
  std::vector<std::int64_t> steps_of(counts.iterations.size(), 0);
  std::vector<std::int64_t> torn(static_cast<std::size_t>(shares), 0);
  Kokkos::parallel_for(
      "heddle::ordered::count", range_policy(exec, shares),
      [&counts, &steps_of, &torn, loop, level, steps, n, shares, levels](std::int64_t share) {
        std::int64_t* const many = counts.iterations.data() + share * levels;
        std::int64_t* const work = steps_of.data() + share * levels;
        std::int64_t changes = 0;
        int before = -1;
        for (std::int64_t p = n * share / shares; p < n * (share + 1) / shares; ++p) {
          const O i = loop.iteration(p);
          ++many[level[i]];
          work[level[i]] += steps[i];
          changes += level[i] != before;
          before = level[i];
        }
        torn[static_cast<std::size_t>(share)] = changes;
      });
  exec.fence("heddle::ordered::counted");
  counts.steps.assign(size, 0);
  counts.sizes.assign(size, 0);
  for (std::size_t at = 0; at < steps_of.size(); ++at) {
    counts.steps[at % size] += steps_of[at];
    counts.sizes[at % size] += counts.iterations[at];
  }
  counts.torn = std::accumulate(torn.begin(), torn.end(), std::int64_t{0});
  return counts;
}

/// Writes the iterations stage by stage, in the order of the loop within a stage: a stable counting
/// sort, one thread for each share. So a thread reads and writes contiguously, and a stage of
/// several levels is in an order that one thread may run. Returns the first place of each stage,
/// and the end. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
std::vector<std::int64_t> order_by_stage(const Exec& exec, const Loop<O, Reads>& loop,
                                         const int* level, const LevelCounts& counts,
                                         const Stages& stages, O* iterations) {
  const std::int64_t n = loop.iterations, shares = counts.shares;
  const std::size_t levels = stages.of_level.size(), size = stages.tasks.size();
  std::vector<std::int64_t> next(static_cast<std::size_t>(shares) * size, 0);
  for (std::size_t at = 0; at < counts.iterations.size(); ++at) {
    const auto stage = static_cast<std::size_t>(stages.of_level[at % levels]);
    next[at / levels * size + stage] += counts.iterations[at];
  }
  std::vector<std::int64_t> begin;
  std::int64_t sum = 0;
  for (std::size_t stage = 0; stage < size; ++stage) {
    begin.push_back(sum);
    for (std::size_t at = stage; at < next.size(); at += size) {
      sum += std::exchange(next[at], sum);
    }
  }
  begin.push_back(sum);
  Kokkos::parallel_for(
      "heddle::ordered::place", range_policy(exec, shares),
      [&next, &stages, loop, level, iterations, n, shares, size](std::int64_t share) {
        std::int64_t* const to = next.data() + static_cast<std::size_t>(share) * size;
        const int* const stage_of = stages.of_level.data();
        for (std::int64_t p = n * share / shares; p < n * (share + 1) / shares; ++p) {
          const O i = loop.iteration(p);
          iterations[to[stage_of[level[i]]]++] = i;
        }
      });
  exec.fence("heddle::ordered::ordered");
  return begin;
}

/// Cuts stages into tasks of as equal numbers of steps as whole iterations allow. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
ThreadSchedule cut_stages(const Exec& exec, int threads, const Stages& stages,
                          const std::vector<std::int64_t>& begin, const O* iterations,
                          const int* steps) {
  ThreadSchedule schedule;
  schedule.threads = threads;
  for (const int tasks : stages.tasks) {
    schedule.stage_begin.push_back(schedule.stage_begin.back() + tasks);
  }
  schedule.task_begin.assign(static_cast<std::size_t>(schedule.stage_begin.back()) + 1, 0);
  const auto size = static_cast<std::int64_t>(stages.tasks.size());
  Kokkos::parallel_for(
      "heddle::ordered::cut", range_policy(exec, size),
      [&schedule, &stages, &begin, iterations, steps](std::int64_t stage) {
        const auto s = static_cast<std::size_t>(stage);
        const std::int64_t tasks = stages.tasks[s];
        std::int64_t* const task_begin = schedule.task_begin.data() + schedule.stage_begin[s];
        task_begin[0] = begin[s];
        if (tasks == 1) return;
        std::int64_t sum = 0, done = 0, task = 1;
        for (std::int64_t p = begin[s]; p < begin[s + 1]; ++p) sum += steps[iterations[p]];
        for (std::int64_t p = begin[s]; p < begin[s + 1] && task < tasks; ++p) {
          // Half of an iteration's steps count on each side, so that the nearer edge is chosen.
          while (task < tasks && 2 * done * tasks + steps[iterations[p]] * tasks > 2 * sum * task) {
            task_begin[task++] = p;
          }
          done += steps[iterations[p]];
        }
        while (task < tasks) task_begin[task++] = begin[s + 1];
      });
  exec.fence("heddle::ordered::cut");
  schedule.task_begin.back() = begin.back();
  return schedule;
}

/// Replaces barriers by waits: finds what each task needs of each thread, and keeps the waits that
/// no other implies. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
void add_waits(const Exec& exec, const Loop<O, Reads>& loop, const O* iterations,
               ThreadSchedule& schedule) {
  const std::int64_t tasks = schedule.tasks(), threads = schedule.threads;
  std::vector<int> stage_of(static_cast<std::size_t>(tasks));
  for (int stage = 0; stage < schedule.stages(); ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    std::fill(stage_of.begin() + schedule.stage_begin[s],
              stage_of.begin() + schedule.stage_begin[s + 1], stage);
  }
  std::vector<int> needed(static_cast<std::size_t>(tasks * threads), 0);
  std::int64_t* task_of = nullptr;
  const Arena<Kokkos::HostSpace> work(exec, "heddle::ordered::task_of",
                                      arena_array(task_of, loop.iterations));
  Kokkos::parallel_for("heddle::ordered::task_of", range_policy(exec, tasks),
                       [&schedule, iterations, task_of](std::int64_t task) {
                         const std::int64_t* const edge = schedule.task_begin.data() + task;
                         for (std::int64_t p = edge[0]; p < edge[1]; ++p) {
                           task_of[iterations[p]] = task;
                         }
                       });
  Kokkos::parallel_for(
      "heddle::ordered::needs", range_policy(exec, tasks),
      [&schedule, &needed, &stage_of, loop, iterations, task_of, threads](std::int64_t task) {
        const int* const stage = stage_of.data();
        const std::int64_t* const stage_begin = schedule.stage_begin.data();
        const auto need = [&](std::int64_t later, std::int64_t earlier) -> int& {
          return needed[static_cast<std::size_t>(later * threads + earlier -
                                                 stage_begin[stage[earlier]])];
        };
        const std::int64_t* const edge = schedule.task_begin.data() + task;
        for (std::int64_t p = edge[0]; p < edge[1]; ++p) {
          loop.visit(
              iterations[p],
              [&](O j) {
                const std::int64_t other = task_of[j];
                if (other == task) return;
                int& word = need(task, other);
                // Another task writes this word only if the loop reads ahead.
                if (loop.ahead == ReadsAhead::error) {
                  word = std::max(word, stage[other] + 1);
                } else {
                  backends::atomic_max(&word, stage[other] + 1);
                }
              },
              [&](O j) {
                const std::int64_t other = task_of[j];
                if (other != task) backends::atomic_max(&need(other, task), stage[task] + 1);
              });
        }
      });
  exec.fence("heddle::ordered::needs");
  sparsify(schedule, needed);
}

template <Ordinal O>
struct LevelsInSweep {
  PlaceOrder<O> order;
  const int* level;
  int* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const { keys[p] = level[order(p)]; }
};

template <Ordinal O>
struct IterationsOfPositions {
  PlaceOrder<O> order;
  O* iterations;  ///< on entry positions in the sweep

  KOKKOS_FUNCTION void operator()(std::int64_t p) const { iterations[p] = order(iterations[p]); }
};

/// Writes the iterations of a loop level by level, in the order of the sweep within a level: a
/// stable sort, the same every time. Returns the first place of each level, and the end. Two
/// allocations, a readback of 8 bytes for each level; waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
std::vector<std::int64_t> sort_by_level(const Exec& exec, O n, SweepDirection sweep,
                                        const int* level, int levels, O* iterations) {
  const auto edges = static_cast<std::size_t>(levels) + 1;
  if (n == 0) return std::vector<std::int64_t>(edges);
  RadixSort<Exec, int, O> sort(exec, n);
  const PlaceOrder<O> swept{nullptr, n, sweep};
  if (sweep == SweepDirection::backward) {
    Kokkos::parallel_for("heddle::ordered::swept_levels", range_policy(exec, n),
                         LevelsInSweep<O>{swept, level, sort.room()});
    level = sort.room();
  }
  sort.sort(exec, level, levels - 1, iterations);
  if (sweep == SweepDirection::backward) {
    Kokkos::parallel_for("heddle::ordered::swept_iterations", range_policy(exec, n),
                         IterationsOfPositions<O>{swept, iterations});
  }
  std::int64_t* begin = nullptr;
  const Arena<typename Exec::memory_space> work(exec, "heddle::ordered::begin",
                                                arena_array(begin, edges));
  write_starts(exec, "heddle::ordered::level_begin", begin, levels, sort.sorted(),
               static_cast<std::int64_t>(n));
  return copied_to_host(exec, "heddle::ordered::sorted", begin, levels + std::int64_t{1});
}

/// The places that one warp solves at once.
struct Task {
  std::int64_t first;
  int rows;
};

/// The tasks, or groups of rows, that one launch solves.
struct LaunchRange {
  std::int64_t first;
  std::int64_t stop;
  bool one_level;  ///< whether all are of one level, so that none waits for another
};

/// Cuts levels into launches: a level of at least `least` groups has a launch of its own, and
/// consecutive narrower ones share one. level_begin: the first group of each level, and the end.
/// Source: Z. Hu et al., "AG-SpTRSV", TACO 2024, for launches by width.
inline std::vector<LaunchRange> launches_of(const std::vector<std::int64_t>& level_begin,
                                            std::int64_t least) {
  std::vector<LaunchRange> launches;
  bool wide = true;
  for (std::size_t level = 0; level + 1 < level_begin.size(); ++level) {
    const std::int64_t first = level_begin[level], stop = level_begin[level + 1];
    const bool was_wide = wide;
    wide = stop - first >= least;
    if (wide || was_wide) {
      launches.push_back({first, stop, true});
    } else {
      launches.back().stop = stop;
      launches.back().one_level = false;
    }
  }
  return launches;
}

/// Cuts places into tasks of one level each.
struct CutLevels {
  const std::int64_t* first_task;   ///< the first task of each level, and the end
  const std::int64_t* first_place;  ///< the first place of each level, and the end
  std::int64_t levels;
  int rows_per_task;
  Task* tasks;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t level = last_not_above(first_task, std::int64_t{0}, levels, t);
    const std::int64_t first = first_place[level] + (t - first_task[level]) * rows_per_task;
    const std::int64_t left = first_place[level + 1] - first;
    tasks[t] = {first, static_cast<int>(left < rows_per_task ? left : rows_per_task)};
  }
};

/// Cuts runs of `lanes` places into tasks: a run is one task if its mean row has at most
/// `most_mean` entries, else each row is a task. Writes them unless `tasks` is null.
template <Offset Off>
struct CutRuns {
  const Off* row_ptr;
  std::int64_t rows;
  int lanes;
  std::int64_t most_mean;
  Task* tasks;

  KOKKOS_FUNCTION void operator()(std::int64_t r, std::int64_t& sum, bool last) const {
    const std::int64_t first = r * lanes, left = rows - first;
    const int all = static_cast<int>(left < lanes ? left : lanes);
    const auto entries = static_cast<std::int64_t>(row_ptr[first + all] - row_ptr[first]);
    const int number = entries <= most_mean * all ? 1 : all;
    if (last && tasks) {
      const int each = all / number;
      for (int t = 0; t < number; ++t) tasks[sum + t] = {first + t * each, each};
    }
    sum += number;
  }
};

/// The order in which the iterations of a loop, or the rows of a triangle, run; where levels begin
/// in it; and the tasks of a device's lanes, or the stages of CPU threads. Place p runs p-th, and
/// holds iteration order()(p).
///
/// unit_tests/support/task_proofs.hpp and thread_proof.hpp prove that schedules keep every
/// dependence.
template <ExecutionSpace Exec, Ordinal O>
class Schedule {
 public:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  Schedule() = default;
  /// A schedule in the order of the sweep, without levels.
  Schedule(O n, SweepDirection sweep) : order_{nullptr, n, sweep} {}

  /// A schedule level by level, in the order of the sweep within a level (sort_by_level). Iteration
  /// i has level[i], on the device, of `levels`. Waits for `exec`.
  static Schedule by_level(const Exec& exec, O n, SweepDirection sweep, const int* level,
                           int levels) {
    Schedule schedule(n, sweep);
    O* const iterations = schedule.allocate_order(exec);
    schedule.level_begin_ = sort_by_level(exec, n, sweep, level, levels, iterations);
    schedule.levels_ = levels;
    return schedule;
  }
  static Schedule by_level(const Exec& exec, O n, SweepDirection sweep,
                           const Levels<Exec>& levels) {
    return by_level(exec, n, sweep, levels.of().data(), levels.count());
  }

  /// A schedule in another order: its place p holds the iteration that is at place from[p] of this
  /// one, which is by level; `from` is on the device. It has no levels. One allocation, one launch;
  /// no wait.
  Schedule reordered(const Exec& exec, const O* from) const {
    Schedule schedule(order_.count, order_.sweep);
    gather(exec, "heddle::ordered::reordered", schedule.allocate_order(exec),
           static_cast<std::int64_t>(order_.count), order_.iterations, from);
    return schedule;
  }

  /// Cuts tasks of at most `rows_per_task` places of one level, so that the lanes of a warp never
  /// wait for each other; launched at once, or level by level. Two allocations, one of which is
  /// freed again, two copies from the host, one launch; waits.
  void cut_levels(const Exec& exec, int rows_per_task, bool launch_each_level = false) {
    std::vector<std::int64_t> begin{0};
    begin.reserve(level_begin_.size());
    for (std::size_t level = 0; level + 1 < level_begin_.size(); ++level) {
      const std::int64_t rows = level_begin_[level + 1] - level_begin_[level];
      begin.push_back(begin.back() + ceil_div<std::int64_t>(rows, rows_per_task));
    }
    allocate_tasks(exec, begin.back());
    if (launch_each_level) launches_ = launches_of(begin, 1);
    std::int64_t *first_task = nullptr, *first_place = nullptr;
    const Arena<Space> work(exec, "heddle::ordered::ranges", arena_array(first_task, begin.size()),
                            arena_array(first_place, begin.size()));
    copy_from_host(exec, first_task, begin);
    copy_from_host(exec, first_place, level_begin_);
    const auto levels = static_cast<std::int64_t>(begin.size()) - 1;
    Kokkos::parallel_for("heddle::ordered::tasks", range_policy(exec, count_),
                         CutLevels{first_task, first_place, levels, rows_per_task, tasks_.data()});
    exec.fence("heddle::ordered::tasks");  // before the ranges are freed
  }
  /// Cuts runs of `lanes` places, in any order, into tasks that are launched at once: one task if
  /// their mean row has at most `most_mean` entries, else one for each row. The row at place p
  /// begins at row_ptr[p], on the device. A launch that counts, and waits; one allocation, and a
  /// launch that writes.
  template <Offset Off>
  void cut_runs(const Exec& exec, const Off* row_ptr, int lanes, std::int64_t most_mean) {
    const auto rows = static_cast<std::int64_t>(order_.count);
    CutRuns<Off> cut{row_ptr, rows, lanes, most_mean, nullptr};
    std::int64_t count = 0;
    const auto runs = scan_policy(exec, ceil_div<std::int64_t>(rows, lanes));
    Kokkos::parallel_scan("heddle::ordered::count_tasks", runs, cut, count);
    allocate_tasks(exec, count);
    cut.tasks = tasks_.data();
    Kokkos::parallel_scan("heddle::ordered::tasks", runs, cut);
  }
  static constexpr std::int64_t any_mean = std::int64_t{1} << 32;  ///< more than a row can have

  PlaceOrder<O> order() const { return order_; }
  /// The iteration at each place, on the device; empty in the order of the sweep.
  Array<O> iterations() const { return iterations_; }
  /// Number of levels, the iterations of the longest chain of dependences; 0 if not computed.
  int levels() const { return levels_; }
  /// The first place of each level, and the end; on the host.
  const std::vector<std::int64_t>& level_begin() const { return level_begin_; }
  std::int64_t task_count() const { return count_; }
  const Task* tasks() const { return tasks_.data(); }
  const std::vector<LaunchRange>& launches() const { return launches_; }
  const ThreadSchedule& by_threads() const { return by_threads_; }
  std::size_t bytes() const { return memory_.bytes() + task_memory_.bytes() + by_threads_.bytes(); }

  /// Frees the order, if an executor has a copy in this order; keeps levels(), tasks and launches.
  void forget_order() {
    order_ = {nullptr, order_.count, order_.sweep};
    iterations_ = {};
    memory_ = {};
    level_begin_ = {0};
  }
  /// Allocates the order: the iteration at each place, which the caller writes.
  O* allocate_order(const Exec& exec) {
    memory_ = Arena<Space>(exec, "heddle::ordered::order", arena_array(iterations_, order_.count));
    order_ = {iterations_.data(), order_.count, order_.sweep};
    return iterations_.data();
  }
  void set_threads(ThreadSchedule by_threads, int levels) {
    by_threads_ = std::move(by_threads);
    levels_ = levels;
  }

 private:
  void allocate_tasks(const Exec& exec, std::int64_t count) {
    count_ = count;
    task_memory_ = Arena<Space>(exec, "heddle::ordered::tasks", arena_array(tasks_, count));
    launches_.clear();
    if (count > 0) launches_.push_back({0, count, false});
  }

  PlaceOrder<O> order_{nullptr, 0, SweepDirection::forward};
  int levels_ = 0;
  std::vector<std::int64_t> level_begin_{0};
  std::int64_t count_ = 0;
  Arena<Space> memory_, task_memory_;
  Array<O> iterations_;
  Array<Task> tasks_;
  std::vector<LaunchRange> launches_;
  ThreadSchedule by_threads_;
};

}  // namespace heddle::detail::ordered
