// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "levels.hpp"
#include "sort_by_level.hpp"

namespace heddle::detail::order {

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
        "heddle::order::in_order", range_policy(exec, n),
        WriteInOrder<O>{PlaceOrder<O>{nullptr, n, sweep}, order.iterations_.data()});
    order.find_places(exec);
    return order;
  }

  /// Another order: its place p holds what this one has at place from[p], on the device; where its
  /// levels begin is not known. One allocation, two launches; no wait.
  LevelOrder reordered(const Exec& exec, const O* from) const {
    LevelOrder order(exec, static_cast<O>(iterations_.extent(0)));
    gather(exec, "heddle::order::reordered", order.iterations_.data(),
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
    memory_ = Arena<Space>(exec, "heddle::order::order", arena_bytes<O, O>(n, n));
    iterations_ = memory_.template take<O>(n);
    place_ = memory_.template take<O>(n);
  }

  void find_places(const Exec& exec) const {
    const auto n = static_cast<std::int64_t>(iterations_.extent(0));
    Kokkos::parallel_for("heddle::order::places", range_policy(exec, n),
                         PlaceOfIterations<O>{iterations_.data(), place_.data()});
  }

  Arena<Space> memory_;
  Array<O> iterations_, place_;
  std::vector<std::int64_t> level_begin_{0};
};

}  // namespace heddle::detail::order
