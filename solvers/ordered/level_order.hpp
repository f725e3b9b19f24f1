// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "../../core/arena.hpp"
#include "../../formats/inspect/radix_sort.hpp"
#include "host_copy.hpp"
#include "levels.hpp"
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

template <Ordinal O>
struct WriteInOrder {
  PlaceOrder<O> order;
  O* iterations;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const { iterations[p] = order(p); }
};

template <Ordinal O>
struct PlaceOfIterations {
  const O* iterations;
  O* place;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    place[iterations[p]] = static_cast<O>(p);
  }
};

/// The iterations of a loop, or the rows of a triangle, in the order that they are run in. Place p
/// is run p-th, and holds iteration iterations()(p).
template <ExecutionSpace Exec, Ordinal O>
class LevelOrder {
 public:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  LevelOrder() = default;

  /// Level by level, and in the order of the sweep within a level: sort_by_level.
  static LevelOrder by_level(const Exec& exec, O n, SweepDirection sweep,
                             const Levels<Exec>& levels) {
    return by_level(exec, n, sweep, levels.of().data(), levels.count());
  }
  /// The same where iteration i is of level[i], on the device, of `levels`.
  static LevelOrder by_level(const Exec& exec, O n, SweepDirection sweep, const int* level,
                             int levels) {
    LevelOrder order(exec, n);
    order.level_begin_ = sort_by_level(exec, n, sweep, level, levels, order.iterations_.data());
    order.find_places(exec);
    return order;
  }

  /// In the order of the sweep, where levels are not looked for: levels() is 0. Two launches in the
  /// order of `exec`; no wait.
  static LevelOrder by_sweep(const Exec& exec, O n, SweepDirection sweep) {
    LevelOrder order(exec, n);
    Kokkos::parallel_for(
        "heddle::ordered::in_order", range_policy(exec, n),
        WriteInOrder<O>{PlaceOrder<O>{nullptr, n, sweep}, order.iterations_.data()});
    order.find_places(exec);
    return order;
  }

  /// Another order: its place p holds what this one has at place from[p], on the device; where its
  /// levels begin is not known. One allocation, two launches; no wait.
  LevelOrder reordered(const Exec& exec, const O* from) const {
    LevelOrder order(exec, static_cast<O>(iterations_.extent(0)));
    gather(exec, "heddle::ordered::reordered", order.iterations_.data(),
           static_cast<std::int64_t>(iterations_.extent(0)), iterations_.data(), from);
    order.find_places(exec);
    return order;
  }

  int levels() const { return static_cast<int>(level_begin_.size()) - 1; }
  /// Where each level begins, and where the last ends; on the host.
  const std::vector<std::int64_t>& level_begin() const { return level_begin_; }
  /// The iteration at each place, and the place of each iteration.
  Array<O> iterations() const { return iterations_; }
  Array<O> place() const { return place_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  LevelOrder(const Exec& exec, O iterations) {
    const auto n = static_cast<std::size_t>(iterations);
    memory_ = Arena<Space>(exec, "heddle::ordered::order", arena_bytes<O, O>(n, n));
    iterations_ = memory_.template take<O>(n);
    place_ = memory_.template take<O>(n);
  }

  void find_places(const Exec& exec) const {
    const auto n = static_cast<std::int64_t>(iterations_.extent(0));
    Kokkos::parallel_for("heddle::ordered::places", range_policy(exec, n),
                         PlaceOfIterations<O>{iterations_.data(), place_.data()});
  }

  Arena<Space> memory_;
  Array<O> iterations_, place_;
  std::vector<std::int64_t> level_begin_{0};
};

}  // namespace heddle::detail::ordered
