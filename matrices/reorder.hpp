// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include "../backends/algorithms/each_entry.hpp"
#include "../backends/atomics.hpp"
#include "../backends/launch.hpp"
#include "../backends/loops.hpp"
#include "../core/arena.hpp"
#include "select.hpp"

/// Connected components of an undirected graph, and breadth-first search.
namespace heddle::detail::reorder {

/// A graph: the neighbours of each vertex, other than itself, ascending and without repeats.
template <Ordinal O, Offset Off>
struct AdjacencyGraph {
  const Off* row_ptr;
  const O* col_idx;
  O vertices;
  std::int64_t edges;  ///< each edge is counted twice

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

/// Lowers the label of a vertex to that of a neighbour.
template <Ordinal O, Offset Off>
struct TakeLower {
  AdjacencyGraph<O, Off> graph;
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
  AdjacencyGraph<O, Off> graph;
  const O* label;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t vertex, std::int64_t k,
                                              std::int64_t& count) const {
    count += label[graph.col_idx[k]] != label[vertex];
  }
};

/// label[vertex]: the lowest vertex of its component. Waits for `exec`, once a round. Source of
/// lowering labels, then following them to their ends: Y. Shiloach and U. Vishkin, "An O(log n)
/// parallel connectivity algorithm", J. Algorithms 3, 1982.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void find_components(const Exec& exec, const AdjacencyGraph<O, Off>& graph, O* label) {
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

/// One level of a search: the vertices at [first, last) of the queue. An unreached vertex becomes a
/// child of the first vertex of the queue that it neighbours.
template <Ordinal O, Offset Off>
struct SearchLevel {
  using Shape = backends::Shape<8, 128>;

  AdjacencyGraph<O, Off> graph;
  O* queue;
  O* parent;  ///< place of each vertex's parent in the queue; -1: a root
  O* level;
  std::int64_t first, last;
  O depth;
};

/// Finds the parents of the next level: a subwarp for each vertex of the level.
template <Ordinal O, Offset Off>
struct ReachNeighbours : SearchLevel<O, Off> {
  using Scratch = backends::NoScratch;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = this->first + team.index() * Team::subwarps + team.subwarp_index();
    if (place >= this->last) return;
    const O vertex = this->queue[place];
    for (std::int64_t k = this->graph.begin(vertex) + team.subwarp().lane();
         k < this->graph.end(vertex); k += Team::subwarp_width) {
      backends::atomic_min(&this->parent[this->graph.col_idx[k]], static_cast<O>(place));
    }
  }
};

/// Counts the children of each vertex of a level, or with `put` appends them to the queue, in the
/// order of its neighbours: a subwarp for each vertex.
template <Ordinal O, Offset Off>
struct TakeReached : SearchLevel<O, Off> {
  using Scratch = backends::NoScratch;

  std::int64_t* reached;
  bool put;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::subwarps + team.subwarp_index();
    const std::int64_t place = this->first + item;
    if (place >= this->last) return;
    const O vertex = this->queue[place];
    const std::int64_t end = this->graph.end(vertex);
    std::int64_t to = put ? this->last + reached[item] : 0;
    for (std::int64_t begin = this->graph.begin(vertex); begin < end;
         begin += Team::subwarp_width) {
      const std::int64_t k = begin + subwarp.lane();
      const O neighbour = k < end ? this->graph.col_idx[k] : O(0);
      const bool mine = k < end && this->parent[neighbour] == static_cast<O>(place);
      const std::uint64_t all = subwarp.ballot(mine);
      if (put && mine) {
        const std::uint64_t below = all & ((std::uint64_t{1} << subwarp.lane()) - 1);
        this->queue[to + popcount(below)] = neighbour;
        this->level[neighbour] = this->depth;
      }
      to += popcount(all);
    }
    if (!put && subwarp.lane() == 0) reached[item] = to;
  }
};

/// Puts the roots, one for each component, into the queue.
template <Ordinal O>
struct PutRoots {
  const O* roots;
  O* queue;
  O* parent;
  O* level;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    queue[i] = roots[i];
    parent[roots[i]] = -1;
    level[roots[i]] = 0;
  }
};

/// Breadth-first search from several roots at the same time, one in each component, in the order of
/// a sequential search: by the place of a vertex's parent, then by number.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class BreadthFirst {
 public:
  BreadthFirst(const Exec& exec, const AdjacencyGraph<O, Off>& graph)
      : graph_(graph),
        memory_(exec, "heddle::reorder::search",
                arena_bytes<O, O, O, std::int64_t>(size(), size(), size(), size() + 1)) {
    queue_ = memory_.template take<O>(size()).data();
    parent_ = memory_.template take<O>(size()).data();
    level_ = memory_.template take<O>(size()).data();
    reached_ = memory_.template take<std::int64_t>(size() + 1).data();
  }

  /// Fills the queue. Waits for `exec`, once a level.
  void search(const Exec& exec, const O* roots, std::int64_t count) const {
    using Shape = typename SearchLevel<O, Off>::Shape;
    using Team = backends::Team<Exec, Shape>;
    fill(exec, "heddle::reorder::unreached", parent_, std::int64_t{graph_.vertices},
         std::numeric_limits<O>::max());
    parallel_for(exec, "heddle::reorder::roots", count,
                 PutRoots<O>{roots, queue_, parent_, level_});
    SearchLevel<O, Off> level{graph_, queue_, parent_, level_, 0, count, 1};
    while (level.first < level.last) {
      const std::int64_t vertices = level.last - level.first;
      const std::int64_t teams = ceil_div(vertices, Team::subwarps);
      backends::launch<Shape>(exec, "heddle::reorder::reach", teams,
                              ReachNeighbours<O, Off>{level});
      backends::launch<Shape>(exec, "heddle::reorder::count", teams,
                              TakeReached<O, Off>{level, reached_, false});
      const std::int64_t next = running_sum_and_total(exec, "heddle::reorder::sum", reached_,
                                                      vertices, Terms<std::int64_t>{reached_});
      backends::launch<Shape>(exec, "heddle::reorder::take", teams,
                              TakeReached<O, Off>{level, reached_, true});
      level.first = level.last;
      level.last += next;
      ++level.depth;
    }
  }

  const O* queue() const { return queue_; }
  const O* level() const { return level_; }

 private:
  std::size_t size() const { return static_cast<std::size_t>(graph_.vertices); }

  AdjacencyGraph<O, Off> graph_;
  Arena<typename Exec::memory_space> memory_;
  O* queue_;
  O* parent_;
  O* level_;
  std::int64_t* reached_;
};

}  // namespace heddle::detail::reorder

// Orders of the rows of a square matrix, for permutations: order(i) is the row of A that becomes
// row i of permute(exec, A, order). Each order is a View that owns its memory. It is equal on every
// run, for any number of threads, on any device.

namespace heddle {

namespace detail::reorder {

template <Ordinal O, Offset Off>
struct PutDegree {
  const Off* row_ptr;
  O* degree;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    degree[row] = static_cast<O>(row_ptr[row + 1] - row_ptr[row]);
  }
};

template <Ordinal O>
struct PutPlace {
  const O* order;
  O* place;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { place[order[i]] = static_cast<O>(i); }
};

/// Room for an order of `rows` rows, not initialized.
template <ExecutionSpace Exec, Ordinal O>
auto make_order(const Exec& exec, O rows) {
  return Kokkos::View<O*, typename Exec::memory_space>(
      Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing, "heddle::reorder::order"),
      static_cast<std::size_t>(rows));
}

/// Writes the rows in ascending order of their number of entries; rows with equal numbers ascend.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void by_degree(const Exec& exec, const Off* row_ptr, O rows, O* order) {
  RadixSort<Exec, O, O> sort(exec, rows);
  parallel_for(exec, "heddle::reorder::degrees", std::int64_t{rows},
               PutDegree<O, Off>{row_ptr, sort.room()});
  sort.sort(exec, sort.room(), std::numeric_limits<O>::max(), order);
  exec.fence("heddle::reorder::by_degree");
}

/// Lists entries as edges, without the diagonal; with `to`, rows and columns get new numbers.
template <Ordinal O>
struct AsGraph {
  O left_out;
  const O* to = nullptr;
  bool mirrored = false;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    const O i = mirrored ? column : row, j = mirrored ? row : column;
    row = i == j ? left_out : to ? to[i] : i;
    column = to ? to[j] : j;
  }
};

/// deepest: the last level of each component. FarthestVertex finds the lowest vertex on it.
template <Ordinal O>
struct Eccentricity {
  const O* label;
  const O* level;
  O* deepest;
  KOKKOS_FUNCTION void operator()(std::int64_t vertex) const {
    backends::atomic_max(&deepest[label[vertex]], level[vertex]);
  }
};
template <Ordinal O>
struct FarthestVertex {
  const O* label;
  const O* level;
  const O* deepest;
  O* farthest;
  KOKKOS_FUNCTION void operator()(std::int64_t vertex) const {
    const O of = label[vertex];
    if (level[vertex] == deepest[of]) {
      backends::atomic_min(&farthest[of], static_cast<O>(vertex));
    }
  }
};
/// If the search of a component went deeper than the one before, the next starts from its far end.
template <Ordinal O>
struct MoveRoot {
  const O* labels;  ///< labels of the components
  const O* deepest;
  const O* farthest;
  O* deepest_before;
  O* roots;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& moved) const {
    const O of = labels[i];
    if (deepest[of] <= deepest_before[i]) return;
    deepest_before[i] = deepest[of];
    roots[i] = farthest[of];
    ++moved;
  }
};

template <Ordinal O>
struct IsLabel {
  const O* label;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t vertex) const {
    return label[vertex] == static_cast<O>(vertex) ? 1 : 0;
  }
};
template <Ordinal O>
struct PutLabels {
  const O* label;
  const O* before;
  O* labels;
  KOKKOS_FUNCTION void operator()(std::int64_t vertex) const {
    if (label[vertex] == static_cast<O>(vertex)) labels[before[vertex]] = static_cast<O>(vertex);
  }
};

template <Ordinal O>
struct Reverse {
  const O* number;
  const O* queue;
  const O* by_component;
  O* order;
  std::int64_t size;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    order[size - 1 - i] = number[queue[by_component[i]]];
  }
};

/// Reverse Cuthill-McKee order of vertices that are numbered by degree: `number` maps them to rows.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void order_graph(const Exec& exec, const AdjacencyGraph<O, Off>& graph, const O* number, O* order) {
  const std::int64_t vertices = graph.vertices;
  O *label = nullptr, *before = nullptr, *labels = nullptr, *roots = nullptr, *deepest = nullptr,
    *farthest = nullptr, *deepest_before = nullptr;
  const Arena<typename Exec::memory_space> work(
      exec, "heddle::reorder::components", arena_array(label, vertices),
      arena_array(before, vertices + 1), arena_array(labels, vertices),
      arena_array(roots, vertices), arena_array(deepest, vertices), arena_array(farthest, vertices),
      arena_array(deepest_before, vertices));
  find_components(exec, graph, label);
  const std::int64_t components = running_sum_and_total(exec, "heddle::reorder::count_components",
                                                        before, vertices, IsLabel<O>{label});
  parallel_for(exec, "heddle::reorder::labels", vertices, PutLabels<O>{label, before, labels});
  copy(exec, "heddle::reorder::first_roots", roots, components, labels);
  fill(exec, "heddle::reorder::no_depth", deepest_before, components, O(0));

  const BreadthFirst<Exec, O, Off> search(exec, graph);
  std::int64_t moved = 1;
  constexpr int most_rounds = 10;  // each round is deeper in some component; two or three are usual
  for (int round = 0; round < most_rounds && moved > 0; ++round) {
    search.search(exec, roots, components);
    fill(exec, "heddle::reorder::no_depth", deepest, vertices, O(0));
    fill(exec, "heddle::reorder::none_farthest", farthest, vertices, std::numeric_limits<O>::max());
    parallel_for(exec, "heddle::reorder::deepest", vertices,
                 Eccentricity<O>{label, search.level(), deepest});
    parallel_for(exec, "heddle::reorder::farthest", vertices,
                 FarthestVertex<O>{label, search.level(), deepest, farthest});
    Kokkos::parallel_reduce("heddle::reorder::move_roots", range_policy(exec, components),
                            MoveRoot<O>{labels, deepest, farthest, deepest_before, roots}, moved);
  }
  if (moved > 0) search.search(exec, roots, components);
  RadixSort<Exec, O, O> by_component(exec, vertices);
  gather(exec, "heddle::reorder::labels_in_order", by_component.room(), vertices, label,
         search.queue());
  by_component.sort(exec, by_component.room(), graph.vertices, before);
  parallel_for(exec, "heddle::reorder::reverse", vertices,
               Reverse<O>{number, search.queue(), before, order, vertices});
  exec.fence("heddle::reorder::ordered");
}

}  // namespace detail::reorder

/// Rows by number of entries, the shortest first; rows of equal length keep their order. Waits for
/// `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
auto order_by_degree(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  const auto order = detail::reorder::make_order(exec, A.rows());
  detail::reorder::by_degree(exec, A.row_ptr().data(), A.rows(), order.data());
  return order;
}

/// Reverse Cuthill-McKee, for a small bandwidth: each component of A + A' from a peripheral vertex,
/// level by level, neighbours by ascending degree. Components are in the order of their vertices of
/// lowest degree; then the whole order is reversed.
///
/// Levels are searched in parallel, in four launches each and one wait, all components at the same
/// time; so a chain of a million rows needs a million levels. Workspace: that of symmetric_part,
/// and eleven ordinals and a number of 64 bits for each row. Throws Error if A is not square, or,
/// naming row and entry, is not a valid matrix, or if the type of offsets cannot hold twice its
/// number of entries.
///
/// Source: E. Cuthill and J. McKee, "Reducing the bandwidth of sparse symmetric matrices", ACM
/// 1969; for peripheral vertices: A. George and J. Liu, "An implementation of a pseudoperipheral
/// node finder", ACM TOMS 5, 1979.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
auto reverse_cuthill_mckee(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  using detail::reorder::AsGraph;
  using detail::reorder::make_order;
  if (A.rows() != A.columns()) {
    throw Error("the matrix to reorder is " + std::to_string(A.rows()) + " x " +
                    std::to_string(A.columns()),
                "give a square one");
  }
  check_csr(exec, A);
  const O rows = A.rows();
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  // The values are never read.
  const auto both = detail::derive<float, Off>(
      exec, rows, rows, 2 * nonzeros, {.add_up = true}, [&](O* row_of, O* column_of) {
        detail::list_entries(exec, A, row_of, column_of, 0, AsGraph<O>{rows});
        detail::list_entries(exec, A, row_of, column_of, nonzeros, AsGraph<O>{rows, nullptr, true});
      });
  const auto graph = both.storage.matrix();
  const auto number = order_by_degree(exec, graph), order = make_order(exec, rows);
  detail::parallel_for(exec, "heddle::reorder::places", std::int64_t{rows},
                       detail::reorder::PutPlace<O>{number.data(), order.data()});
  const auto numbered = detail::derive<float, Off>(
      exec, rows, rows, static_cast<std::int64_t>(graph.nonzeros()), {},
      [&](O* row_of, O* column_of) {
        detail::list_entries(exec, graph, row_of, column_of, 0, AsGraph<O>{rows, order.data()});
      });
  const auto by_number = numbered.storage.matrix();
  detail::reorder::order_graph(exec,
                               detail::reorder::AdjacencyGraph<O, Off>{
                                   by_number.row_ptr().data(), by_number.col_idx().data(), rows,
                                   static_cast<std::int64_t>(by_number.nonzeros())},
                               number.data(), order.data());
  return order;
}

}  // namespace heddle
