// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "levels.hpp"
#include "order_on_device.hpp"
#include "place_order.hpp"

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

  /// Level by level: a counting sort on the device, and a readback of where each level begins. The
  /// order within a level is any; no result depends on it.
  static LevelOrder by_level(const Exec& exec, O n, const Levels<Exec>& levels) {
    LevelOrder order(exec, n);
    order.level_begin_ =
        order_on_device(exec, n, levels.of().data(), levels.count(), order.iterations_.data());
    order.find_places(exec);
    return order;
  }

  /// Level by level, and in the order of the sweep within a level, whatever the device: a counting
  /// sort on the host, with two copies. For what must come out the same every time.
  static LevelOrder by_level_and_sweep(const Exec& exec, O iterations, Sweep sweep,
                                       const Levels<Exec>& levels) {
    const auto n = static_cast<std::size_t>(iterations);
    std::vector<int> level_of(n);
    Kokkos::deep_copy(kokkos_space(exec), HostView<int>(level_of.data(), n), levels.of());
    exec.fence("heddle::order::levels_on_host");
    std::vector<std::int64_t> begin(static_cast<std::size_t>(levels.count()) + 1);
    for (const int l : level_of) ++begin[static_cast<std::size_t>(l) + 1];
    for (std::size_t l = 1; l < begin.size(); ++l) begin[l] += begin[l - 1];
    std::vector<std::int64_t> next = begin;
    std::vector<O> ordered(n);
    const PlaceOrder<O> swept{nullptr, iterations, sweep};
    for (std::size_t p = 0; p < n; ++p) {
      const O i = swept(static_cast<std::int64_t>(p));
      const auto l = static_cast<std::size_t>(level_of[static_cast<std::size_t>(i)]);
      ordered[static_cast<std::size_t>(next[l]++)] = i;
    }
    return given(exec, ordered, std::move(begin));
  }

  /// In the order of the sweep, where levels are not looked for: levels() is 0. Two launches in the
  /// order of `exec`; no wait.
  static LevelOrder by_sweep(const Exec& exec, O n, Sweep sweep) {
    LevelOrder order(exec, n);
    Kokkos::parallel_for(
        "heddle::order::in_order", range_policy(exec, n),
        WriteInOrder<O>{PlaceOrder<O>{nullptr, n, sweep}, order.iterations_.data()});
    order.find_places(exec);
    return order;
  }

  /// In an order of the caller's, which begins its levels at level_begin.
  static LevelOrder given(const Exec& exec, const std::vector<O>& in_order,
                          std::vector<std::int64_t> level_begin) {
    LevelOrder order(exec, static_cast<O>(in_order.size()));
    Kokkos::deep_copy(kokkos_space(exec), order.iterations_,
                      HostView<const O>(in_order.data(), in_order.size()));
    order.find_places(exec);
    order.level_begin_ = std::move(level_begin);
    exec.fence("heddle::order::order_on_device");  // before the caller's order is freed
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
  template <class T>
  using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

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
