// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "../../core/search.hpp"
#include "../../core/types.hpp"
#include "host_copy.hpp"
#include "level_order.hpp"

namespace heddle::detail::ordered {

/// Places that one warp solves at once.
struct Task {
  std::int64_t first;
  int rows;
};

/// Row groups that one launch solves.
struct Launch {
  std::int64_t first;
  std::int64_t stop;
  bool one_level;  ///< then nothing of the launch waits for it
};

/// Cuts levels into launches: a level of at least `least` groups is one of its own, and narrower
/// ones that follow each other share one. level_begin: the first group of each level, and the end.
/// Source: Z. Hu et al., "AG-SpTRSV", TACO 2024, for launches by width.
inline std::vector<Launch> launches_of(const std::vector<std::int64_t>& level_begin,
                                       std::int64_t least) {
  std::vector<Launch> launches;
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

/// Runs of `lanes` places, in order: one task if their mean row has few entries, a task a row if it
/// has more.
template <Offset Off>
struct InOrderRuns {
  static constexpr std::int64_t any_mean = std::int64_t{1} << 32;  ///< more than a row can have

  const Off* row_ptr;
  std::int64_t rows;
  int lanes;
  std::int64_t most_mean;  ///< entries of a mean row of one task; -1: no run is one task

  KOKKOS_FUNCTION std::int64_t runs() const { return ceil_div<std::int64_t>(rows, lanes); }
  KOKKOS_FORCEINLINE_FUNCTION Task run(std::int64_t index) const {
    const std::int64_t first = index * lanes, left = rows - first;
    return {first, static_cast<int>(left < lanes ? left : lanes)};
  }
  KOKKOS_FORCEINLINE_FUNCTION int tasks_of(const Task& run) const {
    const auto entries =
        static_cast<std::int64_t>(row_ptr[run.first + run.rows] - row_ptr[run.first]);
    return entries <= most_mean * run.rows ? 1 : run.rows;
  }
};

template <Offset Off>
struct CountTasks {
  InOrderRuns<Off> runs;

  KOKKOS_FUNCTION void operator()(std::int64_t r, std::int64_t& sum) const {
    sum += runs.tasks_of(runs.run(r));
  }
};

template <Offset Off>
struct WriteTasks {
  InOrderRuns<Off> runs;
  Task* tasks;

  KOKKOS_FUNCTION void operator()(std::int64_t r, std::int64_t& sum, bool last) const {
    const Task run = runs.run(r);
    const int number = runs.tasks_of(run);
    if (last) {
      const int rows = run.rows / number;
      for (int t = 0; t < number; ++t) tasks[sum + t] = {run.first + t * rows, rows};
    }
    sum += number;
  }
};

/// The places of all levels cut into tasks of at most `rows_per_task` rows, in the order of the
/// places. A level starts a task, so that the lanes of a warp never wait for each other.
class TaskRanges {
 public:
  TaskRanges() = default;
  TaskRanges(const std::vector<std::int64_t>& level_begin, int rows_per_task)
      : begin_{0}, rows_per_task_(rows_per_task) {
    begin_.reserve(level_begin.size());
    for (std::size_t level = 0; level + 1 < level_begin.size(); ++level) {
      const std::int64_t rows = level_begin[level + 1] - level_begin[level];
      begin_.push_back(begin_.back() + ceil_div<std::int64_t>(rows, rows_per_task));
    }
  }

  /// The first task of each level, and where the last ends.
  const std::vector<std::int64_t>& begin() const { return begin_; }
  std::int64_t tasks() const { return begin_.empty() ? 0 : begin_.back(); }
  int rows_per_task() const { return rows_per_task_; }

 private:
  std::vector<std::int64_t> begin_;
  int rows_per_task_ = 1;
};

struct CutLevels {
  const std::int64_t* first_task;   ///< of each level, and where the last ends
  const std::int64_t* first_place;  ///< likewise
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

/// The tasks of a triangle or a loop on the device, in the order in which they are taken.
template <ExecutionSpace Exec>
class TaskTable {
 public:
  using Space = typename Exec::memory_space;

  TaskTable() = default;

  /// Of places in the order of their levels: two allocations, one of which is freed again, two
  /// copies from the host, one launch; waits.
  TaskTable(const Exec& exec, const TaskRanges& ranges,
            const std::vector<std::int64_t>& level_begin) {
    allocate(exec, ranges.tasks());
    cut(exec, ranges, level_begin);
  }

  /// Of places in the order of the rows: a launch that counts them, and waits; one allocation, and
  /// a launch that writes them.
  template <Offset Off>
  TaskTable(const Exec& exec, const InOrderRuns<Off>& runs) {
    allocate(exec, count_of(exec, runs));
    cut(exec, runs);
  }

  std::int64_t count() const { return count_; }
  const Task* tasks() const { return tasks_.data(); }
  std::size_t bytes() const { return memory_.bytes(); }

  void cut(const Exec& exec, const TaskRanges& ranges,
           const std::vector<std::int64_t>& level_begin) {
    const std::size_t edges = level_begin.size();
    Arena<Space> work(exec, "heddle::ordered::ranges",
                      arena_bytes<std::int64_t, std::int64_t>(edges, edges));
    const auto first_task = work.template take<std::int64_t>(edges);
    const auto first_place = work.template take<std::int64_t>(edges);
    copy_from_host(exec, first_task.data(), ranges.begin());
    copy_from_host(exec, first_place.data(), level_begin);
    const auto levels = static_cast<std::int64_t>(edges) - 1;
    Kokkos::parallel_for("heddle::ordered::tasks", range_policy(exec, ranges.tasks()),
                         CutLevels{first_task.data(), first_place.data(), levels,
                                   ranges.rows_per_task(), tasks_.data()});
    exec.fence("heddle::ordered::tasks");  // before the ranges are freed
  }
  template <Offset Off>
  void cut(const Exec& exec, const InOrderRuns<Off>& runs) {
    Kokkos::parallel_scan("heddle::ordered::tasks", range_policy(exec, runs.runs()),
                          WriteTasks<Off>{runs, tasks_.data()});
  }
  template <Offset Off>
  static std::int64_t count_of(const Exec& exec, const InOrderRuns<Off>& runs) {
    std::int64_t tasks = 0;
    Kokkos::parallel_reduce("heddle::ordered::count_tasks", range_policy(exec, runs.runs()),
                            CountTasks<Off>{runs}, tasks);
    return tasks;
  }

 private:
  void allocate(const Exec& exec, std::int64_t tasks) {
    count_ = tasks;
    const auto size = static_cast<std::size_t>(tasks);
    memory_ = Arena<Space>(exec, "heddle::ordered::tasks", arena_bytes<Task>(size));
    tasks_ = memory_.template take<Task>(size);
  }

  std::int64_t count_ = 0;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<Task> tasks_;
};

}  // namespace heddle::detail::ordered
