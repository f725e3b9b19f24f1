// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../backends/host/progress.hpp"

namespace heddle::detail::order {

/// Until `thread` is through with its tasks of all stages before `stage`.
struct Wait {
  int thread;
  int stage;
};

/// Who runs what of a loop on the threads of a CPU, and when.
///
/// Iterations stand at places, stage by stage. A stage is cut into tasks, runs of places: its t-th
/// task is thread t's. A task runs its places in order. Tasks of a stage do not depend on each
/// other. What orders stages is a barrier after each of them, or the waits of tasks.
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

  /// All places in order, on one thread.
  static ThreadSchedule in_order(std::int64_t places) {
    ThreadSchedule schedule;
    if (places == 0) return schedule;
    schedule.stage_begin = {0, 1};
    schedule.task_begin = {0, places};
    return schedule;
  }
};

/// The share of thread `me` of those that were granted, which may be fewer than the schedule's: it
/// then runs the tasks of several. body(first, stop) runs a run of places.
///
/// With barriers every thread comes to all of them, so each ends. Every other wait is for tasks of
/// earlier stages, and a thread runs its tasks stage by stage. Of the tasks that are not done take
/// those of the lowest stage, and of them the first of any thread: what this thread runs before is
/// done, and all that the task waits for, so it goes on, and ends. No task is left, then, however
/// many threads there are and in whatever turns they run.
template <class Body>
void run_share(const ThreadSchedule& schedule, int me, int granted,
               const backends::Progress& progress, const Body& body) {
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

/// How levels make stages, from the steps and iterations of each.
struct Stages {
  std::vector<int> of_level;
  std::vector<int> tasks;  ///< of each stage: 1 where it is not worth more threads than one
};

/// A level goes to as many threads as it has `grain` steps for. Where thin ones join, those that
/// are worth one thread alone are one stage where they follow each other, run in the order of the
/// loop.
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

}  // namespace heddle::detail::order
