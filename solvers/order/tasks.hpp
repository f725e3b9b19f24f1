// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../core/search.hpp"
#include "host_copy.hpp"
#include "in_order_runs.hpp"
#include "level_order.hpp"

namespace heddle::detail::order {

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
    Arena<Space> work(exec, "heddle::order::ranges",
                      arena_bytes<std::int64_t, std::int64_t>(edges, edges));
    const auto first_task = work.template take<std::int64_t>(edges);
    const auto first_place = work.template take<std::int64_t>(edges);
    copy_from_host(exec, first_task.data(), ranges.begin());
    copy_from_host(exec, first_place.data(), level_begin);
    const auto levels = static_cast<std::int64_t>(edges) - 1;
    Kokkos::parallel_for("heddle::order::tasks", range_policy(exec, ranges.tasks()),
                         CutLevels{first_task.data(), first_place.data(), levels,
                                   ranges.rows_per_task(), tasks_.data()});
    exec.fence("heddle::order::tasks");  // before the ranges are freed
  }
  template <Offset Off>
  void cut(const Exec& exec, const InOrderRuns<Off>& runs) {
    Kokkos::parallel_scan("heddle::order::tasks", range_policy(exec, runs.runs()),
                          WriteTasks<Off>{runs, tasks_.data()});
  }
  template <Offset Off>
  static std::int64_t count_of(const Exec& exec, const InOrderRuns<Off>& runs) {
    std::int64_t tasks = 0;
    Kokkos::parallel_reduce("heddle::order::count_tasks", range_policy(exec, runs.runs()),
                            CountTasks<Off>{runs}, tasks);
    return tasks;
  }

 private:
  void allocate(const Exec& exec, std::int64_t tasks) {
    count_ = tasks;
    const auto size = static_cast<std::size_t>(tasks);
    memory_ = Arena<Space>(exec, "heddle::order::tasks", arena_bytes<Task>(size));
    tasks_ = memory_.template take<Task>(size);
  }

  std::int64_t count_ = 0;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<Task> tasks_;
};

}  // namespace heddle::detail::order
