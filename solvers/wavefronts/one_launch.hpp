// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../backends/launch.hpp"
#include "../order/tasks.hpp"
#include "tuning.hpp"

namespace heddle::detail::wavefronts {

/// Places of one level, a team a task. A task waits until as many tasks have ended as there are of
/// lower levels. These are all of the lower levels': no task of its own level begins before.
///
/// Why it ends: tasks are taken by ticket in the order of the levels, so all of lower levels have
/// begun; the lowest that has not ended waits for nobody.
template <class Body>
struct OneLaunchKernel {
  using Scratch = backends::NoScratch;

  const order::Task* tasks;
  const int* before;  ///< of each: tasks of lower levels
  int count;          ///< of tasks
  int* ended;         ///< 0 before and after the launch
  Body body;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const order::Task task = tasks[team.index()];
    const int lower = before[team.index()];
    if (team.thread() == 0 && lower > 0) {
      backends::await(ended, [lower](int tasks_ended) { return tasks_ended >= lower; });
    }
    team.barrier();
    for (int i = team.thread(); i < task.rows; i += Team::threads) body(task.first + i);
    team.barrier_to_publish();
    if (team.thread() > 0) return;
    if (backends::arrive(ended) + 1 == count) backends::post(ended, 0);
  }
};

/// All levels of a loop in one launch of a GPU.
template <ExecutionSpace Exec>
class OneLaunch {
 public:
  OneLaunch() = default;

  /// Level l begins at place level_begin[l]. Two allocations beside those of the table of tasks;
  /// waits.
  OneLaunch(const Exec& exec, const std::vector<std::int64_t>& level_begin) {
    const order::TaskRanges ranges(level_begin, Shape::team_threads);
    if (ranges.tasks() >= backends::max_teams_in_order) {
      throw Error(
          "a loop of " + std::to_string(level_begin.back()) + " iterations takes too many teams",
          "pin wavefronts/launches");
    }
    table_ = order::TaskTable<Exec>(exec, ranges, level_begin);
    std::vector<int> before(static_cast<std::size_t>(table_.count()));
    for (std::size_t level = 0; level + 1 < ranges.begin().size(); ++level) {
      const std::int64_t first = ranges.begin()[level], stop = ranges.begin()[level + 1];
      std::fill(before.begin() + first, before.begin() + stop, static_cast<int>(first));
    }
    memory_ = Arena<Space>(exec, "heddle::wavefronts::one_launch",
                           arena_bytes<int, int, std::uint32_t>(before.size(), 1, 1));
    before_ = memory_.template take<int>(before.size()).data();
    ended_ = memory_.template take<int>(1).data();
    tickets_ = {memory_.template take<std::uint32_t>(1).data()};
    order::copy_from_host(exec, before_, before);
    Kokkos::parallel_for("heddle::wavefronts::no_tasks_ended", range_policy(exec, 1),
                         Clear{ended_, tickets_});
    exec.fence("heddle::wavefronts::one_launch");  // before the host's array is freed
  }

  template <class Body>
  void run(const Exec& exec, const char* label, const Body& body) const {
    const auto count = static_cast<int>(table_.count());
    backends::launch_by_ticket<Shape>(
        exec, label, count, OneLaunchKernel<Body>{table_.tasks(), before_, count, ended_, body},
        tickets_, 0, {warps_of_one_launch});
  }

  std::size_t bytes() const { return table_.bytes() + memory_.bytes(); }

  struct Clear {
    int* ended;
    backends::Tickets tickets;
    KOKKOS_FUNCTION void operator()(std::int64_t) const {
      *ended = 0;
      tickets.clear();
    }
  };

 private:
  using Space = typename Exec::memory_space;
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, 256>;

  order::TaskTable<Exec> table_;
  Arena<Space> memory_;
  int* before_ = nullptr;
  int* ended_ = nullptr;
  backends::Tickets tickets_;
};

}  // namespace heddle::detail::wavefronts
