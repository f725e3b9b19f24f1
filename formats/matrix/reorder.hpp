// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include "reorder/breadth_first.hpp"
#include "select.hpp"

/// Orders of the rows of a square matrix, for permutations: order(i) is the row of A that becomes
/// row i of permute(exec, A, order). Each order is a View that owns its memory, and is the same on
/// every run, for any number of threads, on any device.
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

/// Writes the rows by the number of their entries, fewest first, those of one number ascending.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void by_degree(const Exec& exec, const Off* row_ptr, O rows, O* order) {
  RadixSort<Exec, O, O> sort(exec, rows);
  parallel_for(exec, "heddle::reorder::degrees", std::int64_t{rows},
               PutDegree<O, Off>{row_ptr, sort.room()});
  sort.sort(exec, sort.room(), std::numeric_limits<O>::max(), order);
  exec.fence("heddle::reorder::by_degree");
}

/// Leaves out the diagonal; with `to`, rows and columns get new numbers.
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

/// Of each component the last level, and of that the lowest vertex.
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
/// A component whose search went deeper than the one before starts from its end next.
template <Ordinal O>
struct MoveRoot {
  const O* labels;  ///< of the components
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

/// The order of Cuthill and McKee, reversed, of vertices that are numbered by degree: `number`
/// gives them their rows back.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void order_graph(const Exec& exec, const Graph<O, Off>& graph, const O* number, O* order) {
  const std::int64_t vertices = graph.vertices;
  const auto n = static_cast<std::size_t>(vertices);
  Arena<typename Exec::memory_space> work(
      exec, "heddle::reorder::components",
      arena_bytes<O, O, O, O, O, O, O>(n, n + 1, n, n, n, n, n));
  O* const label = work.template take<O>(n).data();
  O* const before = work.template take<O>(n + 1).data();
  O* const labels = work.template take<O>(n).data();
  O* const roots = work.template take<O>(n).data();
  O* const deepest = work.template take<O>(n).data();
  O* const farthest = work.template take<O>(n).data();
  O* const deepest_before = work.template take<O>(n).data();
  find_components(exec, graph, label);
  const std::int64_t components = running_sum_and_total(exec, "heddle::reorder::count_components",
                                                        before, vertices, IsLabel<O>{label});
  parallel_for(exec, "heddle::reorder::labels", vertices, PutLabels<O>{label, before, labels});
  copy(exec, "heddle::reorder::first_roots", roots, components, labels);
  fill(exec, "heddle::reorder::no_depth", deepest_before, components, O(0));

  const BreadthFirst<Exec, O, Off> search(exec, graph);
  std::int64_t moved = 1;
  constexpr int most_rounds = 10;  // each of them goes deeper somewhere; two or three are usual
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
  const Kokkos::View<O*, typename Exec::memory_space> order(
      Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing, "heddle::reorder::order"),
      static_cast<std::size_t>(A.rows()));
  detail::reorder::by_degree(exec, A.row_ptr().data(), A.rows(), order.data());
  return order;
}

/// Reverse Cuthill-McKee, for a small bandwidth: each component of A + A' from a peripheral vertex,
/// level by level, neighbours by ascending degree. Components are in the order of their vertices of
/// lowest degree; then everything is reversed.
///
/// Levels are searched in parallel, in four launches each and one wait, all components at the same
/// time; so a chain of a million rows takes a million of them. A workspace as that of
/// symmetric_part, and eleven ordinals and an offset a row. Throws Error if A is not square, or,
/// naming row and entry, is no matrix, or if the type of offsets cannot hold twice its number of
/// entries.
///
/// Source: E. Cuthill and J. McKee, "Reducing the bandwidth of sparse symmetric matrices", ACM
/// 1969; of vertices at the rim: A. George and J. Liu, "An implementation of a pseudoperipheral
/// node finder", ACM TOMS 5, 1979.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
auto reverse_cuthill_mckee(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  using detail::reorder::AsGraph;
  if (A.rows() != A.columns()) {
    throw Error("an order of the rows of a matrix of " + std::to_string(A.rows()) + " x " +
                    std::to_string(A.columns()),
                "give a square one");
  }
  check_csr(exec, A);
  const O rows = A.rows();
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  // Values that nobody reads.
  const auto both = detail::derive<float, Off>(
      exec, rows, rows, 2 * nonzeros, {.add_up = true}, [&](O* row_of, O* column_of) {
        detail::list_entries(exec, A, row_of, column_of, 0, AsGraph<O>{rows});
        detail::list_entries(exec, A, row_of, column_of, nonzeros, AsGraph<O>{rows, nullptr, true});
      });
  const auto graph = both.storage.matrix();
  const auto number = order_by_degree(exec, graph), order = order_by_degree(exec, graph);
  detail::parallel_for(exec, "heddle::reorder::places", std::int64_t{rows},
                       detail::reorder::PutPlace<O>{number.data(), order.data()});
  const auto numbered = detail::derive<float, Off>(
      exec, rows, rows, static_cast<std::int64_t>(graph.nonzeros()), {},
      [&](O* row_of, O* column_of) {
        detail::list_entries(exec, graph, row_of, column_of, 0, AsGraph<O>{rows, order.data()});
      });
  const auto by_number = numbered.storage.matrix();
  detail::reorder::order_graph(
      exec,
      detail::reorder::Graph<O, Off>{by_number.row_ptr().data(), by_number.col_idx().data(), rows,
                                     static_cast<std::int64_t>(by_number.nonzeros())},
      number.data(), order.data());
  return order;
}

}  // namespace heddle
