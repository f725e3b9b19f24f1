// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "groups.hpp"
#include "launches.hpp"
#include "task.hpp"

namespace heddle::detail::order {

/// Whether a solve task by task keeps every dependence of a triangle whose rows are at their places
/// already, and ends: empty if so, else what is wrong with the first place that it does not hold
/// for. On the host, for tests: a wait that is missing rarely shows in x.
///
/// Every place has to be in one task, in order. What a place needs must be in an earlier launch;
/// or, of a launch of several levels, whose warps take their tasks by ticket and wait for values,
/// in a lower task; or, if the lanes of a warp go round together and none waits inside the loop
/// (`rows_may_meet`), at a lower place of its own task, which then has a lane for each of at most
/// `lanes` rows. So the lowest place that is not solved waits for nobody, whichever others are
/// resident.
template <class Graph>
std::string broken_task(const Graph& graph, const std::vector<Task>& tasks,
                        const std::vector<Launch>& launches, int lanes, bool rows_may_meet) {
  const auto n = static_cast<std::size_t>(graph.places);
  std::vector<std::int64_t> task(n), launch(n);
  std::int64_t place = 0, next = 0;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    if (launches[l].first != next) return "launch " + std::to_string(l) + " skips tasks";
    next = launches[l].stop;
    if (next > static_cast<std::int64_t>(tasks.size())) return "a launch of tasks that are not";
    for (auto t = launches[l].first; t < next; ++t) {
      const Task& its = tasks[static_cast<std::size_t>(t)];
      const std::string name = "task " + std::to_string(t);
      if (its.first != place) return name + " skips places";
      if (its.rows < 1 || its.rows > lanes) return name + " has no lane for each row";
      if (its.first + its.rows > graph.places) return name + " has rows that are not";
      for (int row = 0; row < its.rows; ++row, ++place) {
        task[static_cast<std::size_t>(place)] = t;
        launch[static_cast<std::size_t>(place)] = static_cast<std::int64_t>(l);
      }
    }
  }
  if (place != graph.places) return "places are missing";
  for (std::size_t p = 0; p < n; ++p) {
    for (auto k = graph.row_ptr[p]; k < graph.row_ptr[p + 1]; ++k) {
      const auto needs = static_cast<std::size_t>(graph.needed[k]);
      const bool waits = !launches[static_cast<std::size_t>(launch[p])].one_level;
      const bool kept =
          launch[needs] < launch[p] ||
          (launch[needs] == launch[p] && waits &&
           (task[needs] < task[p] || (task[needs] == task[p] && rows_may_meet && needs < p)));
      if (!kept) {
        return "place " + std::to_string(p) + " does not wait for place " + std::to_string(needs);
      }
    }
  }
  return "";
}

}  // namespace heddle::detail::order
