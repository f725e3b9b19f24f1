// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/atomics.hpp"
#include "../../inspect/each_entry.hpp"

/// Which vertices of an undirected graph are connected.
namespace heddle::detail::reorder {

/// A graph: neighbours of each vertex in ascending order, each once, none of them itself.
template <Ordinal O, Offset Off>
struct Graph {
  const Off* row_ptr;
  const O* col_idx;
  O vertices;
  std::int64_t edges;  ///< counted from both sides

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t vertex) const {
    return static_cast<std::int64_t>(row_ptr[vertex]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end(std::int64_t vertex) const {
    return static_cast<std::int64_t>(row_ptr[vertex + 1]);
  }
};

template <Ordinal O>
struct OwnLabel {
  O* label;
  KOKKOS_FUNCTION void operator()(std::int64_t vertex) const {
    label[vertex] = static_cast<O>(vertex);
  }
};

/// The label of a vertex takes over that of a neighbour which is lower.
template <Ordinal O, Offset Off>
struct TakeLower {
  Graph<O, Off> graph;
  O* label;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t vertex, std::int64_t k) const {
    const O mine = backends::atomic_load(&label[vertex]);
    const O other = backends::atomic_load(&label[graph.col_idx[k]]);
    if (other < mine) backends::atomic_min(&label[mine], other);
  }
};

template <Ordinal O>
struct FollowLabels {
  O* label;
  KOKKOS_FUNCTION void operator()(std::int64_t vertex) const {
    O of = backends::atomic_load(&label[vertex]);
    O next = backends::atomic_load(&label[of]);
    while (next != of) {
      of = next;
      next = backends::atomic_load(&label[of]);
    }
    backends::atomic_store(&label[vertex], of);
  }
};

template <Ordinal O, Offset Off>
struct CountDisagreeing {
  Graph<O, Off> graph;
  const O* label;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t vertex, std::int64_t k,
                                              std::int64_t& count) const {
    count += label[graph.col_idx[k]] != label[vertex];
  }
};

/// label[vertex]: the lowest vertex that it is connected with. Waits for `exec`, once a round.
/// Source of lower labels taken over, then followed to their ends: Y. Shiloach and U. Vishkin, "An
/// O(log n) parallel connectivity algorithm", J. Algorithms 3, 1982.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void find_components(const Exec& exec, const Graph<O, Off>& graph, O* label) {
  const std::int64_t vertices = graph.vertices;
  parallel_for(exec, "heddle::reorder::own_labels", vertices, OwnLabel<O>{label});
  std::int64_t disagreeing = graph.edges;
  while (disagreeing > 0) {
    each_entry(exec, "heddle::reorder::lower_labels", graph.row_ptr, vertices, graph.edges,
               TakeLower<O, Off>{graph, label});
    parallel_for(exec, "heddle::reorder::follow_labels", vertices, FollowLabels<O>{label});
    disagreeing =
        sum_entries<std::int64_t>(exec, "heddle::reorder::disagreeing", graph.row_ptr, vertices,
                                  graph.edges, CountDisagreeing<O, Off>{graph, label});
  }
}

}  // namespace heddle::detail::reorder
