// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../core/arena.hpp"

namespace heddle::detail::wavefronts {

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
  Arena<Space> work(exec, "heddle::wavefronts::sort",
                    arena_bytes<std::int64_t, std::int64_t>(edges, edges));
  const auto begin = work.template take<std::int64_t>(edges);
  const auto next = work.template take<std::int64_t>(edges);
  Kokkos::parallel_for(
      "heddle::wavefronts::no_counts", range_policy(exec, levels + 1),
      KOKKOS_LAMBDA(std::int64_t l) { next(l) = 0; });
  Kokkos::parallel_for(
      "heddle::wavefronts::count", range_policy(exec, n),
      KOKKOS_LAMBDA(std::int64_t i) { Kokkos::atomic_inc(&next(level[i])); });
  Kokkos::parallel_scan(
      "heddle::wavefronts::scan", range_policy(exec, levels + 1),
      KOKKOS_LAMBDA(std::int64_t l, std::int64_t& sum, bool last) {
        const std::int64_t size = next(l);
        if (last) {
          begin(l) = sum;
          next(l) = sum;
        }
        sum += size;
      });
  Kokkos::parallel_for(
      "heddle::wavefronts::place", range_policy(exec, n), KOKKOS_LAMBDA(std::int64_t i) {
        iterations[Kokkos::atomic_fetch_inc(&next(level[i]))] = static_cast<O>(i);
      });
  using Host = Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(space, Host(level_begin.data(), edges), begin);
  exec.fence("heddle::wavefronts::ordered");
  return level_begin;
}

}  // namespace heddle::detail::wavefronts
