// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../backends/host/progress.hpp"
#include "../../backends/host/threads.hpp"
#include "../../backends/memory.hpp"
#include "../../backends/threads_at_once.hpp"
#include "loop.hpp"

namespace heddle::detail::ordered {

/// Fills the level of every iteration, 0 if it waits for none, else one above the highest that it
/// waits for; and its steps, unless that is null. Waits for `exec`.
///
/// Threads take chunks of the loop in turn, and an iteration waits for the levels of those before
/// it. Every wait ends: it is for the same or an earlier chunk, each thread takes its chunks in
/// order, and so the first chunk that is not done waits for nobody, or for its own iterations
/// before.
template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelSums levels_of_reads_behind(const Exec& exec, const Loop<O, Reads>& loop, int* level,
                                 int* steps) {
  const std::int64_t n = loop.iterations;
  Kokkos::parallel_for("heddle::ordered::no_levels", range_policy(exec, n),
                       [=](std::int64_t i) { level[i] = -1; });
  std::int64_t bad = LevelSums::nowhere;
  int highest = -1;
  const auto search = [&loop, &bad, &highest, level, steps, n](int me, int threads) {
    backends::SpinThenYield spin;
    int most = -1;
    for (std::int64_t chunk = me; chunk * search_chunk < n; chunk += threads) {
      const std::int64_t stop = std::min(n, (chunk + 1) * search_chunk);
      for (std::int64_t position = chunk * search_chunk; position < stop; ++position) {
        const O i = loop.iteration(position);
        int above = 0, work = static_cast<int>(steps_per_iteration);
        bool ahead = false;
        const bool inside = loop.visit(
            i,
            [&](O j) {
              int below = backends::look(level + j);
              if (below < 0) {
                spin.wait([&] { return (below = backends::look(level + j)) >= 0; });
              }
              above = std::max(above, below + 1);
              ++work;
            },
            [&](O) { ahead = true; });
        if (!inside || ahead) backends::atomic_min(&bad, static_cast<std::int64_t>(i));
        backends::post(level + i, above);
        if (steps) steps[i] = work;
        most = std::max(most, above);
      }
    }
    backends::atomic_max(&highest, most);
  };
  const std::int64_t chunks = ceil_div(n, search_chunk);
  const auto asked =
      static_cast<int>(std::min<std::int64_t>(backends::threads_at_once(exec), chunks));
  if (n > 0) backends::launch_threads(exec, "heddle::ordered::levels", asked, search);
  return {highest + 1, bad};
}

/// The same where iterations also keep later ones waiting: one thread.
template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelSums levels_of_all_reads(const Exec& exec, const Loop<O, Reads>& loop, int* level,
                              int* steps) {
  const std::int64_t n = loop.iterations;
  LevelSums sums;
  const auto search = [&loop, &sums, level, steps, n](int, int) {
    for (std::int64_t i = 0; i < n; ++i) level[i] = 0;
    for (std::int64_t position = 0; position < n; ++position) {
      const O i = loop.iteration(position);
      int above = level[i], work = static_cast<int>(steps_per_iteration);
      const bool inside = loop.visit(
          i, [&](O j) { above = std::max(above, level[j] + 1), ++work; }, [&](O) { ++work; });
      loop.visit(i, [](O) {}, [&](O j) { level[j] = std::max(level[j], above + 1); });
      if (!inside) sums.bad = std::min(sums.bad, static_cast<std::int64_t>(i));
      level[i] = above;
      if (steps) steps[i] = work;
      sums.levels = std::max(sums.levels, above + 1);
    }
  };
  if (n > 0) backends::launch_threads(exec, "heddle::ordered::levels", 1, search);
  return sums;
}

template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelSums find_levels_on_threads(const Exec& exec, const Loop<O, Reads>& loop, int* level,
                                 int* steps) {
  return loop.ahead == ReadsAhead::error ? levels_of_reads_behind(exec, loop, level, steps)
                                         : levels_of_all_reads(exec, loop, level, steps);
}

}  // namespace heddle::detail::ordered
