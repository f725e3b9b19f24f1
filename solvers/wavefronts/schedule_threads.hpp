// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <numeric>
#include <utility>

#include "../../backends/atomics.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../order/loop.hpp"
#include "../order/sparsify.hpp"
#include "tuning.hpp"

namespace heddle::detail::wavefronts {

/// The loop cut into contiguous shares, and how many iterations and steps of each level are in
/// each.
struct LevelCounts {
  std::int64_t shares = 1;
  std::vector<std::int64_t> iterations;  ///< of share s and level l at s * levels + l
  std::vector<std::int64_t> steps;       ///< of each level
  std::vector<std::int64_t> sizes;       ///< of each level, in iterations
  std::int64_t torn = 0;                 ///< iterations of another level than the one before
};

/// Waits for `exec`. As many shares as threads at once, where levels are few enough to count them
/// in each.
template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelCounts count_levels(const Exec& exec, const order::Loop<O, Reads>& loop, const int* level,
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
      "heddle::wavefronts::count", range_policy(exec, shares),
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
  exec.fence("heddle::wavefronts::counted");
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
/// sort, a thread a share. So a thread reads and writes on, and a stage of several levels is in an
/// order that one thread may run. Returns where each stage begins. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
std::vector<std::int64_t> order_by_stage(const Exec& exec, const order::Loop<O, Reads>& loop,
                                         const int* level, const LevelCounts& counts,
                                         const order::Stages& stages, O* iterations) {
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
      "heddle::wavefronts::place", range_policy(exec, shares),
      [&next, &stages, loop, level, iterations, n, shares, size](std::int64_t share) {
        std::int64_t* const to = next.data() + static_cast<std::size_t>(share) * size;
        const int* const stage_of = stages.of_level.data();
        for (std::int64_t p = n * share / shares; p < n * (share + 1) / shares; ++p) {
          const O i = loop.iteration(p);
          iterations[to[stage_of[level[i]]]++] = i;
        }
      });
  exec.fence("heddle::wavefronts::ordered");
  return begin;
}

/// Cuts stages into tasks of as equal numbers of steps as whole iterations allow. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
order::ThreadSchedule cut_stages(const Exec& exec, int threads, const order::Stages& stages,
                                 const std::vector<std::int64_t>& begin, const O* iterations,
                                 const int* steps) {
  order::ThreadSchedule schedule;
  schedule.threads = threads;
  for (const int tasks : stages.tasks) {
    schedule.stage_begin.push_back(schedule.stage_begin.back() + tasks);
  }
  schedule.task_begin.assign(static_cast<std::size_t>(schedule.stage_begin.back()) + 1, 0);
  const auto size = static_cast<std::int64_t>(stages.tasks.size());
  Kokkos::parallel_for(
      "heddle::wavefronts::cut", range_policy(exec, size),
      [&schedule, &stages, &begin, iterations, steps](std::int64_t stage) {
        const auto s = static_cast<std::size_t>(stage);
        const std::int64_t tasks = stages.tasks[s];
        std::int64_t* const task_begin = schedule.task_begin.data() + schedule.stage_begin[s];
        task_begin[0] = begin[s];
        if (tasks == 1) return;
        std::int64_t sum = 0, done = 0, task = 1;
        for (std::int64_t p = begin[s]; p < begin[s + 1]; ++p) sum += steps[iterations[p]];
        for (std::int64_t p = begin[s]; p < begin[s + 1] && task < tasks; ++p) {
          // Half of an iteration's steps on each side, so that the nearer edge is taken.
          while (task < tasks && 2 * done * tasks + steps[iterations[p]] * tasks > 2 * sum * task) {
            task_begin[task++] = p;
          }
          done += steps[iterations[p]];
        }
        while (task < tasks) task_begin[task++] = begin[s + 1];
      });
  exec.fence("heddle::wavefronts::cut");
  schedule.task_begin.back() = begin.back();
  return schedule;
}

/// Replaces barriers by waits: what each task needs of each thread, and of that what nothing else
/// implies. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
void add_waits(const Exec& exec, const order::Loop<O, Reads>& loop, const O* iterations,
               order::ThreadSchedule& schedule) {
  const std::int64_t tasks = schedule.tasks(), threads = schedule.threads;
  std::vector<int> stage_of(static_cast<std::size_t>(tasks));
  for (int stage = 0; stage < schedule.stages(); ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    std::fill(stage_of.begin() + schedule.stage_begin[s],
              stage_of.begin() + schedule.stage_begin[s + 1], stage);
  }
  std::vector<int> needed(static_cast<std::size_t>(tasks * threads), 0);
  Arena<Kokkos::HostSpace> work(exec, "heddle::wavefronts::task_of",
                                arena_bytes<std::int64_t>(loop.iterations));
  std::int64_t* const task_of =
      work.template take<std::int64_t>(static_cast<std::size_t>(loop.iterations)).data();
  Kokkos::parallel_for("heddle::wavefronts::task_of", range_policy(exec, tasks),
                       [&schedule, iterations, task_of](std::int64_t task) {
                         const std::int64_t* const edge = schedule.task_begin.data() + task;
                         for (std::int64_t p = edge[0]; p < edge[1]; ++p) {
                           task_of[iterations[p]] = task;
                         }
                       });
  Kokkos::parallel_for(
      "heddle::wavefronts::needs", range_policy(exec, tasks),
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
                // Only others that read ahead write it too.
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
  exec.fence("heddle::wavefronts::needs");
  order::sparsify(schedule, needed);
}

}  // namespace heddle::detail::wavefronts
