// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"

namespace heddle::recipe {

/// Work of an item that a GPU's subwarp shares instead of leaving it to one thread.
inline constexpr std::int64_t shared_work = 1024;

template <class Items>
struct SharedItemsKernel {
  using Scratch = backends::NoScratch;

  std::int64_t count;
  Items items;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::threads + team.thread();
    const bool exists = item < count;
    const bool shared = exists && items.work(item) > shared_work;
    if (exists && !shared) items.alone(item);
    const std::int64_t first = item - subwarp.lane();
    for (std::uint64_t left = subwarp.ballot(shared); left != 0; left &= left - 1) {
      items.together(subwarp, first + Kokkos::countr_zero(left));
    }
  }
};

template <class Items>
struct LoneItems {
  Items items;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const { items.alone(item); }
};

/// A thread an item: items.alone(item). On a GPU those with items.work(item) above shared_work are
/// the whole subwarp's instead, one after the other: items.together(subwarp, item). One launch in
/// the order of `exec`; no wait.
template <ExecutionSpace Exec, class Items>
void each_item(const Exec& exec, const char* label, std::int64_t count, const Items& items) {
  if constexpr (backends::has_lanes<Exec>) {
    constexpr int width = 32, threads = 128;
    backends::launch<backends::Shape<width, threads>>(exec, label, ceil_div(count, threads),
                                                      SharedItemsKernel<Items>{count, items});
  } else {
    Kokkos::parallel_for(label, range_policy(exec, count), LoneItems<Items>{items});
  }
}

}  // namespace heddle::recipe
