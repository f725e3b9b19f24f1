// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../core/arena.hpp"
#include "../../formats/inspect/radix_sort.hpp"
#include "host_copy.hpp"
#include "loop.hpp"

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
  O* iterations;  ///< positions in the sweep, before

  KOKKOS_FUNCTION void operator()(std::int64_t p) const { iterations[p] = order(iterations[p]); }
};

/// Writes the iterations of a loop level by level, in the order of the sweep within a level: a
/// stable sort, the same every time. Returns where each level begins, and the last ends. Two
/// allocations, a readback of 8 bytes a level; waits for `exec`.
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
  Arena<typename Exec::memory_space> work(exec, "heddle::ordered::begin",
                                          arena_bytes<std::int64_t>(edges));
  std::int64_t* const begin = work.template take<std::int64_t>(edges).data();
  write_starts(exec, "heddle::ordered::level_begin", begin, levels, sort.sorted(),
               static_cast<std::int64_t>(n));
  return copied_to_host(exec, "heddle::ordered::sorted", begin, levels + std::int64_t{1});
}

}  // namespace heddle::detail::ordered
