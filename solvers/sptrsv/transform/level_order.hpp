// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../../backends/atomics.hpp"
#include "levels.hpp"

namespace heddle::detail::sptrsv {

/// The level of every row of a triangle: one more than the highest of the rows that it needs.
template <ExecutionSpace Exec>
class RowLevels {
 public:
  using Space = typename Exec::memory_space;
  using Array = typename Arena<Space>::template Array<int>;

  /// One allocation; waits.
  template <Ordinal O, Offset Off>
  RowLevels(const Exec& exec, const Graph<O, Off>& graph)
      : memory_(exec, "heddle::sptrsv::level",
                arena_bytes<int>(static_cast<std::size_t>(graph.rows))),
        of_row_(memory_.template take<int>(static_cast<std::size_t>(graph.rows))),
        count_(find_levels(exec, graph, of_row_.data())) {}

  Array of_row() const { return of_row_; }
  int count() const { return count_; }

 private:
  Arena<Space> memory_;
  Array of_row_;
  int count_;
};

template <Ordinal O, Offset Off>
struct PlaceByLevel {
  Graph<O, Off> graph;
  const int* level;
  std::int64_t* next;
  O* rows;
  O* place;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const O row = graph.row(i);
    const auto p = backends::atomic_fetch_inc(next + level[row]);
    rows[p] = row;
    place[row] = static_cast<O>(p);
  }
};

template <Ordinal O, Offset Off>
struct PlaceByRow {
  Graph<O, Off> graph;
  O* rows;
  O* place;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const O row = graph.row(p);
    rows[p] = row;
    place[row] = static_cast<O>(p);
  }
};

template <Ordinal O>
struct PlaceOfRows {
  const O* rows;
  O* place;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const { place[rows[p]] = static_cast<O>(p); }
};

/// The rows of a triangle in the order that they are solved in. Place p is solved p-th, and holds
/// row rows[p].
template <ExecutionSpace Exec, Ordinal O>
class LevelOrder {
 public:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  LevelOrder() = default;

  /// Level by level: a counting sort on the device, and a readback of where each level begins. The
  /// order within a level is any; no result depends on it.
  template <Offset Off>
  static LevelOrder by_level(const Exec& exec, const Graph<O, Off>& graph,
                             const RowLevels<Exec>& levels) {
    LevelOrder order(exec, graph.rows);
    if (graph.rows == 0) return order;
    const int* const level = levels.of_row().data();
    const auto places = static_cast<std::size_t>(levels.count()) + 1;
    Kokkos::View<std::int64_t*, Space> begin(
        Kokkos::view_alloc(kokkos_space(exec), "heddle::sptrsv::level_begin"), places);
    Kokkos::View<std::int64_t*, Space> next(
        Kokkos::view_alloc(kokkos_space(exec), "heddle::sptrsv::next"), places);
    Kokkos::parallel_for("heddle::sptrsv::count", range_policy(exec, graph.rows),
                         wavefronts::CountIterations{level, next.data()});
    Kokkos::parallel_scan("heddle::sptrsv::scan", range_policy(exec, levels.count() + 1),
                          wavefronts::ScanCounts{begin.data(), next.data()});
    Kokkos::parallel_for(
        "heddle::sptrsv::place", range_policy(exec, graph.rows),
        PlaceByLevel<O, Off>{graph, level, next.data(), order.rows_.data(), order.place_.data()});
    order.level_begin_.resize(places);
    Kokkos::deep_copy(kokkos_space(exec), HostView<std::int64_t>(order.level_begin_.data(), places),
                      begin);
    exec.fence("heddle::sptrsv::levels_on_host");
    return order;
  }

  /// Level by level, and by row within a level, whatever the device: a counting sort on the host,
  /// with two copies. For what must come out the same every time.
  template <Offset Off>
  static LevelOrder by_level_and_row(const Exec& exec, const Graph<O, Off>& graph,
                                     const RowLevels<Exec>& levels) {
    const auto n = static_cast<std::size_t>(graph.rows);
    std::vector<int> level_of(n);
    Kokkos::deep_copy(kokkos_space(exec), HostView<int>(level_of.data(), n), levels.of_row());
    exec.fence("heddle::sptrsv::levels_on_host");
    std::vector<std::int64_t> begin(static_cast<std::size_t>(levels.count()) + 1);
    for (const int l : level_of) ++begin[static_cast<std::size_t>(l) + 1];
    for (std::size_t l = 1; l < begin.size(); ++l) begin[l] += begin[l - 1];
    std::vector<std::int64_t> next = begin;
    std::vector<O> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
      const O row = graph.row(static_cast<std::int64_t>(i));
      const auto l = static_cast<std::size_t>(level_of[static_cast<std::size_t>(row)]);
      rows[static_cast<std::size_t>(next[l]++)] = row;
    }
    return given(exec, rows, std::move(begin));
  }

  /// Rows in the order of the graph, whose levels are not looked for: levels() is 0. One launch in
  /// the order of `exec`; no wait.
  template <Offset Off>
  static LevelOrder by_row(const Exec& exec, const Graph<O, Off>& graph) {
    LevelOrder order(exec, graph.rows);
    Kokkos::parallel_for("heddle::sptrsv::rows_in_order", range_policy(exec, graph.rows),
                         PlaceByRow<O, Off>{graph, order.rows_.data(), order.place_.data()});
    return order;
  }

  /// Rows in an order of the caller's, which begins its levels at level_begin.
  static LevelOrder given(const Exec& exec, const std::vector<O>& in_order,
                          std::vector<std::int64_t> level_begin) {
    LevelOrder order(exec, static_cast<O>(in_order.size()));
    Kokkos::deep_copy(kokkos_space(exec), order.rows_,
                      HostView<const O>(in_order.data(), in_order.size()));
    Kokkos::parallel_for("heddle::sptrsv::places",
                         range_policy(exec, static_cast<std::int64_t>(in_order.size())),
                         PlaceOfRows<O>{order.rows_.data(), order.place_.data()});
    order.level_begin_ = std::move(level_begin);
    exec.fence("heddle::sptrsv::order_on_device");  // before the caller's rows are freed
    return order;
  }

  int levels() const { return static_cast<int>(level_begin_.size()) - 1; }
  /// Where each level begins, and where the last ends; on the host.
  const std::vector<std::int64_t>& level_begin() const { return level_begin_; }
  /// The row at each place, and the place of each row.
  Array<O> rows() const { return rows_; }
  Array<O> place() const { return place_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  template <class T>
  using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  LevelOrder(const Exec& exec, O rows) {
    const auto n = static_cast<std::size_t>(rows);
    memory_ = Arena<Space>(exec, "heddle::sptrsv::order", arena_bytes<O, O>(n, n));
    rows_ = memory_.template take<O>(n);
    place_ = memory_.template take<O>(n);
  }

  Arena<Space> memory_;
  Array<O> rows_, place_;
  std::vector<std::int64_t> level_begin_{0};
};

}  // namespace heddle::detail::sptrsv
