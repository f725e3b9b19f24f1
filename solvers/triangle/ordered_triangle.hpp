// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/algorithms/csr_view.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/types.hpp"
#include "../ordered/loop.hpp"
#include "../ordered/rows.hpp"
#include "check_triangle.hpp"
#include "triangle.hpp"

namespace heddle::detail::triangle {

/// The graph of a triangle: row i needs the rows that its entries off the diagonal name.
template <Ordinal O, Offset Off>
struct DependencyGraph {
  const Off* row_ptr;
  const O* col_idx;
  O rows;
  Triangle triangle;

  /// The order in which every row is after those that it needs.
  KOKKOS_FORCEINLINE_FUNCTION SweepDirection sweep() const {
    return triangle == Triangle::lower ? SweepDirection::forward : SweepDirection::backward;
  }
  /// The i-th row in that order.
  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t i) const {
    return triangle == Triangle::lower ? static_cast<O>(i) : static_cast<O>(rows - 1 - i);
  }
};

/// The predicate of the entries in a triangle, off the diagonal.
struct InTriangle {
  Triangle triangle;

  template <class O>
  KOKKOS_FORCEINLINE_FUNCTION bool has(O row, O column) const {
    return in_triangle(triangle, row, column);
  }
};

/// The last value of a place of ordered::StoredRows: reciprocal_or_zero. A bad diagonal is marked
/// in *bad, if that is given (mark_bad_row).
struct Reciprocals {
  std::int64_t* bad;

  template <Scalar D, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION D operator()(const D& diagonal, O row) const {
    if (bad && is_bad_diagonal(diagonal)) mark_bad_row(bad, row);
    return reciprocal_or_zero(diagonal);
  }
};

/// The chosen entries of a triangle, in an order of its rows.
template <Ordinal O, Offset Off>
ordered::ChosenEntries<O, Off, InTriangle, ordered::PlaceOrder<O>> entries_of(
    const DependencyGraph<O, Off>& graph, const ordered::PlaceOrder<O>& order) {
  return {graph.row_ptr, graph.col_idx, {graph.triangle}, order};
}

/// The reads of row i of a triangle.
template <Ordinal O, Offset Off>
struct TriangleReads {
  DependencyGraph<O, Off> graph;
  std::int64_t entries;  ///< number of entries of the whole matrix

  KOKKOS_FORCEINLINE_FUNCTION Off begin(O i) const { return graph.row_ptr[i]; }
  KOKKOS_FORCEINLINE_FUNCTION Off end(O i) const { return graph.row_ptr[i + 1]; }
  KOKKOS_FORCEINLINE_FUNCTION O item(Off k) const { return graph.col_idx[k]; }

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O i, const Visit& visit) const {
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (in_triangle(graph.triangle, i, j)) visit(j);
    }
  }
};

/// The loop over the rows of a triangle. `entries`: number of entries of the whole matrix.
template <Ordinal O, Offset Off>
ordered::Loop<O, TriangleReads<O, Off>> loop_of(const DependencyGraph<O, Off>& graph,
                                                std::int64_t entries) {
  return {graph.rows, graph.sweep(), ReadsAhead::error, {graph, entries}};
}

/// Number of entries in the triangle of the row at each place, plus `more`.
template <Ordinal O, Offset Off>
struct EntriesInTriangle {
  DependencyGraph<O, Off> graph;
  ordered::PlaceOrder<O> order;
  Off more;

  KOKKOS_FUNCTION Off operator()(std::int64_t place) const {
    const O i = order(place);
    Off entries = more;
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      entries += in_triangle(graph.triangle, i, graph.col_idx[k]) ? 1 : 0;
    }
    return entries;
  }
};

/// A triangle in the order in which it is solved, as kernels see it. The entries off the diagonal
/// of the row at place p are row_ptr[p] to row_ptr[p + 1].
template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct View {
  std::int64_t rows;
  const Off* row_ptr;
  const O* needed;  ///< the place that each entry needs
  const S* values;
  const D* diagonal;    ///< the diagonal of each place; null if it is unit
  const D* reciprocal;  ///< its reciprocal; zero if that is no normal number
  const O* row;         ///< the row of the matrix at each place
};

template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct SumDiagonal {
  CsrView<S, O, Off> A;
  const O* row;  ///< the row at each place
  D* diagonal;
  D* reciprocal;
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const O i = row[p];
    const D sum = A.template diagonal<D>(i);
    diagonal[p] = sum;
    reciprocal[p] = reciprocal_or_zero(sum);
    if (bad_diagonal && is_bad_diagonal(sum)) mark_bad_row(bad_diagonal, i);
  }
};

/// The diagonal of a triangle and its reciprocal in D (DiagonalOf), place by place; empty for a
/// unit diagonal.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D>
class DiagonalStorage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  DiagonalStorage() = default;

  /// One allocation, no values yet. row(p) is the row at place p.
  DiagonalStorage(const Exec& exec, typename Arena<Space>::template Array<O> row, bool unit)
      : row_(row), unit_(unit) {
    const std::size_t places = unit ? 0 : row.extent(0);
    memory_ = Arena<Space>(exec, "heddle::triangle::diagonal", arena_array(diagonal_, places),
                           arena_array(reciprocal_, places));
  }

  /// A body that adds up the diagonal of a matrix of the same pattern; to be run for each i <
  /// places(). The lowest row with a bad diagonal (is_bad_diagonal) is marked in *bad_diagonal, if
  /// that is given (mark_bad_row).
  SumDiagonal<S, O, Off, D> loop(const Matrix& T, std::int64_t* bad_diagonal) const {
    return {csr_view(T), row_.data(), diagonal_.data(), reciprocal_.data(), bad_diagonal};
  }
  /// Number of places; 0 for a unit diagonal.
  std::int64_t places() const { return unit_ ? 0 : static_cast<std::int64_t>(row_.extent(0)); }

  /// The diagonal of each place; null if it is unit.
  const D* diagonal() const { return unit_ ? nullptr : diagonal_.data(); }
  const D* reciprocal() const { return reciprocal_.data(); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  typename Arena<Space>::template Array<O> row_;
  bool unit_ = true;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<D> diagonal_, reciprocal_;
};

template <Ordinal O, Offset Off>
struct PlaceEntries {
  DependencyGraph<O, Off> graph;
  const Off* origin;
  ordered::PlaceOrder<O> order;
  ordered::PlaceOf<O> place;
  const Off* row_ptr;
  O* row;
  O* needed;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const O i = order(p);
    row[p] = i;
    Off to = row_ptr[p];
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (!in_triangle(graph.triangle, i, j)) continue;
      needed[to] = place(j);
      source[to] = origin ? origin[k] : k;
      ++to;
    }
  }
};

/// The pattern of a triangle in the order in which it is solved, and the user's entry of each
/// entry. The entries off the diagonal of the row at place p are row_ptr(p) to row_ptr(p + 1);
/// entry k is entry source(k) of the user's matrix.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class OrderedPattern {
 public:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  OrderedPattern() = default;

  /// Two allocations, one of which is freed again, and three launches; waits. Rows keep the order
  /// of their entries. `entries`: number of those off the diagonal. Entry k of the graph is entry
  /// origin[k] of the user's matrix, or k if that is null.
  OrderedPattern(const Exec& exec, const DependencyGraph<O, Off>& graph, const Off* origin,
                 const ordered::PlaceOrder<O>& order, std::int64_t entries)
      : rows_(graph.rows), entries_(entries) {
    memory_ = Arena<Space>(exec, "heddle::triangle::pattern", arena_array(row_ptr_, rows_ + 1),
                           arena_array(row_, rows_), arena_array(needed_, entries),
                           arena_array(source_, entries));
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
  void copy(const Exec& exec, const DependencyGraph<O, Off>& graph, const Off* origin,
            const ordered::PlaceOrder<O>& order) {
    const auto n = static_cast<std::size_t>(order.iterations ? rows_ : 0);
    O* place = nullptr;
    const Arena<Space> work(exec, "heddle::triangle::places", arena_array(place, n));
    if (n > 0) {
      Kokkos::parallel_for("heddle::triangle::places", range_policy(exec, rows_),
                           ordered::PlaceOfIterations<O>{order.iterations, place});
    }
    running_sum<Off>(exec, "heddle::triangle::row_ptr", row_ptr_.data(), rows_,
                     EntriesInTriangle<O, Off>{graph, order, 0});
    const ordered::PlaceOf<O> place_of{n > 0 ? place : nullptr, order.count, order.sweep};
    Kokkos::parallel_for("heddle::triangle::pattern", range_policy(exec, rows_),
                         PlaceEntries<O, Off>{graph, origin, order, place_of, row_ptr_.data(),
                                              row_.data(), needed_.data(), source_.data()});
  }

  std::int64_t rows_ = 0;
  std::int64_t entries_ = 0;
  Arena<Space> memory_;
  Array<Off> row_ptr_, source_;
  Array<O> row_, needed_;
};

/// A copy of a triangle in the order in which it is solved, with its diagonal in D (DiagonalOf).
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D>
class OrderedTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  OrderedTriangle() = default;

  /// Makes the pattern (OrderedPattern), with two more allocations, and copies the values, without
  /// a wait of its own.
  OrderedTriangle(const Exec& exec, const Matrix& T, const DependencyGraph<O, Off>& graph,
                  const Off* origin, const ordered::PlaceOrder<O>& order, std::int64_t entries,
                  Diagonal diagonal)
      : pattern_(exec, graph, origin, order, entries),
        memory_(exec, "heddle::triangle::triangle",
                arena_bytes<S>(static_cast<std::size_t>(entries))),
        values_(memory_.template take<S>(static_cast<std::size_t>(entries))),
        diagonal_(exec, pattern_.row(), diagonal == Diagonal::unit) {
    update_values(exec, T, nullptr);
  }

  /// Copies the values of a matrix of the same pattern, in the order of `exec`: one launch, no
  /// allocation, no wait. *bad_diagonal: see DiagonalStorage.
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    two_loops(exec, "heddle::triangle::values", pattern_.entries(),
              Gather<S, Off>{values_.data(), T.values().data(), pattern_.source().data()},
              diagonal_.places(), diagonal_.loop(T, bad_diagonal));
  }

  View<S, O, Off, D> view() const {
    return {pattern_.rows(),      pattern_.row_ptr().data(), pattern_.needed().data(),
            values_.data(),       diagonal_.diagonal(),      diagonal_.reciprocal(),
            pattern_.row().data()};
  }
  std::size_t bytes() const { return pattern_.bytes() + memory_.bytes() + diagonal_.bytes(); }

 private:
  OrderedPattern<Exec, O, Off> pattern_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_;
  DiagonalStorage<Exec, S, O, Off, D> diagonal_;
};

}  // namespace heddle::detail::triangle
