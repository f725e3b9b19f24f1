// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../solvers/ordered/loop.hpp"
#include "../../solvers/ordered/schedule.hpp"

namespace heddle::test {

using heddle::detail::ordered::ThreadSchedule;
using heddle::detail::ordered::Wait;

/// Two iterations; the second must run after the first.
struct Dependence {
  std::int64_t first;
  std::int64_t second;
};

/// The order that a schedule gives its tasks, derived independently from run_share.
class TaskOrder {
 public:
  explicit TaskOrder(const ThreadSchedule& schedule) : schedule_(schedule) {
    const auto tasks = static_cast<std::size_t>(schedule.tasks());
    for (int stage = 0; stage < schedule.stages(); ++stage) {
      const auto begin = schedule.stage_begin[static_cast<std::size_t>(stage)];
      const auto end = schedule.stage_begin[static_cast<std::size_t>(stage) + 1];
      for (std::int64_t task = begin; task < end; ++task) {
        stage_.push_back(stage);
        thread_.push_back(static_cast<int>(task - begin));
      }
    }
    if (!schedule.barriers) find_done(tasks);
  }

  /// Whether all of task a is done and visible when task b begins.
  bool before(std::int64_t a, std::int64_t b) const {
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    if (stage_[x] >= stage_[y]) return false;
    if (thread_[x] == thread_[y] || schedule_.barriers) return true;
    const auto threads = static_cast<std::size_t>(schedule_.threads);
    return done_[y * threads + static_cast<std::size_t>(thread_[x])] > stage_[x];
  }

 private:
  /// done_[task, thread]: stages of the thread that are done when the task begins. Waiting threads
  /// learn what the other thread knows; repeated until nothing changes.
  void find_done(std::size_t tasks) {
    const auto threads = static_cast<std::size_t>(schedule_.threads);
    done_.assign(tasks * threads, 0);
    for (bool learned = true; learned;) {
      learned = false;
      std::vector<std::int64_t> last(threads, -1);
      for (std::size_t task = 0; task < tasks; ++task) {
        const auto me = static_cast<std::size_t>(thread_[task]);
        if (last[me] >= 0) learned |= learn_from(task, last[me]);
        const auto begin = static_cast<std::size_t>(schedule_.wait_begin[task]);
        const auto end = static_cast<std::size_t>(schedule_.wait_begin[task + 1]);
        for (std::size_t w = begin; w < end; ++w) {
          const Wait wait = schedule_.waits[w];
          for (std::size_t other = 0; other < tasks; ++other) {
            const bool awaited = thread_[other] == wait.thread && stage_[other] < wait.stage;
            if (awaited) learned |= learn_from(task, static_cast<std::int64_t>(other));
          }
        }
        last[me] = static_cast<std::int64_t>(task);
      }
    }
  }
  bool learn_from(std::size_t task, std::int64_t finished) {
    const auto threads = static_cast<std::size_t>(schedule_.threads);
    const auto from = static_cast<std::size_t>(finished);
    bool learned = false;
    for (std::size_t t = 0; t < threads; ++t) {
      const bool itself = t == static_cast<std::size_t>(thread_[from]);
      const int known = itself ? stage_[from] + 1 : done_[from * threads + t];
      int& mine = done_[task * threads + t];
      learned |= known > mine;
      mine = std::max(mine, known);
    }
    return learned;
  }

  const ThreadSchedule& schedule_;
  std::vector<int> stage_, thread_, done_;
};

/// A dependence of the loop that the schedule does not keep, if there is one. `iterations` has the
/// iteration of each place. The proof uses the order of places in a task, the order of a thread's
/// tasks, barriers, and chains of waits; it also checks that every wait is for an earlier stage, so
/// that waits end. Quadratic in the number of tasks.
template <class Loop>
std::optional<Dependence> broken_dependence(const ThreadSchedule& schedule,
                                            const std::vector<std::int64_t>& iterations,
                                            const Loop& loop) {
  const auto n = static_cast<std::size_t>(loop.iterations);
  if (iterations.size() != n) return Dependence{-1, -1};
  std::vector<std::int64_t> task_of(n, -1), place_of(n, -1);
  for (std::int64_t task = 0; task < schedule.tasks(); ++task) {
    const auto begin = schedule.task_begin[static_cast<std::size_t>(task)];
    const auto end = schedule.task_begin[static_cast<std::size_t>(task) + 1];
    for (std::int64_t place = begin; place < end; ++place) {
      const auto i = static_cast<std::size_t>(iterations[static_cast<std::size_t>(place)]);
      if (i >= n || task_of[i] >= 0) return Dependence{-1, static_cast<std::int64_t>(i)};
      task_of[i] = task;
      place_of[i] = place;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (task_of[i] < 0) return Dependence{-1, static_cast<std::int64_t>(i)};
  }
  const auto threads = static_cast<std::int64_t>(schedule.threads);
  for (int stage = 0; stage < schedule.stages(); ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    if (schedule.stage_begin[s + 1] - schedule.stage_begin[s] > threads) return Dependence{-1, -1};
    if (schedule.barriers) continue;
    const auto first = static_cast<std::size_t>(schedule.stage_begin[s]);
    const auto stop = static_cast<std::size_t>(schedule.stage_begin[s + 1]);
    for (auto w = schedule.wait_begin[first]; w < schedule.wait_begin[stop]; ++w) {
      if (schedule.waits[static_cast<std::size_t>(w)].stage > stage) return Dependence{-1, -1};
    }
  }
  const TaskOrder order(schedule);
  std::optional<Dependence> broken;
  const auto demand = [&](std::int64_t first, std::int64_t second) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    const bool kept =
        task_of[a] == task_of[b] ? place_of[a] < place_of[b] : order.before(task_of[a], task_of[b]);
    if (!kept && !broken) broken = Dependence{first, second};
  };
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(n); ++i) {
    using O = decltype(loop.iterations);
    loop.visit(static_cast<O>(i), [&](O j) { demand(j, i); }, [&](O j) { demand(i, j); });
  }
  return broken;
}

}  // namespace heddle::test
