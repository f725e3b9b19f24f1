// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../../core/types.hpp"
#include "task.hpp"

namespace heddle::detail::order {

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

}  // namespace heddle::detail::order
