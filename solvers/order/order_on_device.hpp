// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../backends/atomics.hpp"
#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "level_kernels.hpp"

namespace heddle::detail::order {

template <Ordinal O>
struct PlaceIterations {
  const int* level;
  std::int64_t* next;  ///< of each level
  O* iterations;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    iterations[backends::atomic_fetch_inc(next + level[i])] = static_cast<O>(i);
  }
};

/// Writes the iterations of a device level by level, in any order within a level: a counting sort.
/// Returns where each level begins, and the last ends. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
std::vector<std::int64_t> order_on_device(const Exec& exec, std::int64_t n, const int* level,
                                          int levels, O* iterations) {
  using Space = typename Exec::memory_space;
  const auto& space = kokkos_space(exec);
  const auto edges = static_cast<std::size_t>(levels) + 1;
  std::vector<std::int64_t> level_begin(edges);
  if (n == 0) return level_begin;
  Arena<Space> work(exec, "heddle::order::sort",
                    arena_bytes<std::int64_t, std::int64_t>(edges, edges));
  const auto begin = work.template take<std::int64_t>(edges);
  std::int64_t* const next = work.template take<std::int64_t>(edges).data();
  fill(exec, "heddle::order::no_counts", next, levels + 1, 0);
  Kokkos::parallel_for("heddle::order::count", range_policy(exec, n), CountIterations{level, next});
  Kokkos::parallel_scan("heddle::order::scan", range_policy(exec, levels + 1),
                        ScanCounts{begin.data(), next});
  Kokkos::parallel_for("heddle::order::place", range_policy(exec, n),
                       PlaceIterations<O>{level, next, iterations});
  using Host = Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(space, Host(level_begin.data(), edges), begin);
  exec.fence("heddle::order::ordered");
  return level_begin;
}

}  // namespace heddle::detail::order
