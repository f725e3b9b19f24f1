// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/algorithms/sort.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/search.hpp"
#include "levels.hpp"
#include "loop.hpp"
#include "schedule_on_threads.hpp"

namespace heddle::detail::ordered {

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
    const auto runs = range_policy(exec, ceil_div<std::int64_t>(rows, lanes));
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
