// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/bad_row.hpp"
#include "../../core/matrix.hpp"
#include "../ordered/rows.hpp"
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

}  // namespace heddle::detail::triangle
