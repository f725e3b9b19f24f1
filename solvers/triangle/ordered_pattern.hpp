// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../order/level_order.hpp"
#include "graph.hpp"

namespace heddle::detail::triangle {

template <Ordinal O, Offset Off>
struct PlaceEntries {
  Graph<O, Off> graph;
  const Off* origin;
  const O* rows;
  const O* place;
  const Off* row_ptr;
  O* row;
  O* needed;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const O i = rows[p];
    row[p] = i;
    Off to = row_ptr[p];
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (!in_triangle(graph.triangle, i, j)) continue;
      needed[to] = place[j];
      source[to] = origin ? origin[k] : k;
      ++to;
    }
  }
};

/// Where the entries of a triangle are, in the order that it is solved in, with the way back to the
/// user's entries. The entries off the diagonal of the row at place p are row_ptr(p) to
/// row_ptr(p + 1); entry k is entry source(k) of the user's matrix.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class OrderedPattern {
 public:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  OrderedPattern() = default;

  /// One allocation and two launches in the order of `exec`; no wait. Rows keep the order of their
  /// entries. `entries` are those off the diagonal. Entry k of the graph is entry origin[k] of the
  /// user's matrix, or k if that is null.
  OrderedPattern(const Exec& exec, const Graph<O, Off>& graph, const Off* origin,
                 const order::LevelOrder<Exec, O>& order, std::int64_t entries)
      : rows_(graph.rows), entries_(entries) {
    const auto n = static_cast<std::size_t>(rows_);
    const auto nnz = static_cast<std::size_t>(entries);
    memory_ = Arena<Space>(exec, "heddle::triangle::pattern",
                           arena_bytes<Off, O, O, Off>(n + 1, n, nnz, nnz));
    row_ptr_ = memory_.template take<Off>(n + 1);
    row_ = memory_.template take<O>(n);
    needed_ = memory_.template take<O>(nnz);
    source_ = memory_.template take<Off>(nnz);
    copy(exec, graph, origin, order);
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t entries() const { return entries_; }
  Array<Off> row_ptr() const { return row_ptr_; }
  /// The row of the matrix at each place.
  Array<O> row() const { return row_; }
  /// The place that each entry needs.
  Array<O> needed() const { return needed_; }
  Array<Off> source() const { return source_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  void copy(const Exec& exec, const Graph<O, Off>& graph, const Off* origin,
            const order::LevelOrder<Exec, O>& order) {
    const O* const rows = order.iterations().data();
    const order::PlaceOrder<O> in_order{rows, graph.rows, SweepDirection::forward};
    running_sum<Off>(exec, "heddle::triangle::row_ptr", row_ptr_.data(), rows_,
                     EntriesInTriangle<O, Off>{graph, in_order, 0});
    Kokkos::parallel_for(
        "heddle::triangle::pattern", range_policy(exec, rows_),
        PlaceEntries<O, Off>{graph, origin, rows, order.place().data(), row_ptr_.data(),
                             row_.data(), needed_.data(), source_.data()});
  }

  std::int64_t rows_ = 0;
  std::int64_t entries_ = 0;
  Arena<Space> memory_;
  Array<Off> row_ptr_, source_;
  Array<O> row_, needed_;
};

}  // namespace heddle::detail::triangle
