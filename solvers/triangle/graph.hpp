// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"
#include "../ordered/loop.hpp"
#include "triangle.hpp"

namespace heddle::detail::triangle {

/// The graph of a triangle: row i needs the rows that its entries off the diagonal name.
template <Ordinal O, Offset Off>
struct Graph {
  const Off* row_ptr;
  const O* col_idx;
  O rows;
  Triangle triangle;

  /// The order in which every row comes after those that it needs.
  KOKKOS_FORCEINLINE_FUNCTION SweepDirection sweep() const {
    return triangle == Triangle::lower ? SweepDirection::forward : SweepDirection::backward;
  }
  /// The i-th row in that order.
  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t i) const {
    return triangle == Triangle::lower ? static_cast<O>(i) : static_cast<O>(rows - 1 - i);
  }
};

/// The places of a copy of a triangle: its entries off the diagonal, and one for each row, also
/// where the diagonal is not stored. Throws Error where offsets of type Off do not count them.
template <Offset Off>
std::size_t entries_with_diagonal(std::int64_t entries, std::int64_t rows) {
  const Off places = matrix_size<Off>(entries + rows, "entries, those of the diagonal among them");
  return static_cast<std::size_t>(places);
}

/// What row i of a triangle reads.
template <Ordinal O, Offset Off>
struct TriangleReads {
  Graph<O, Off> graph;
  std::int64_t entries;  ///< of the matrix

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

/// The loop over the rows of a triangle, which is part of a matrix of so many entries.
template <Ordinal O, Offset Off>
ordered::Loop<O, TriangleReads<O, Off>> loop_of(const Graph<O, Off>& graph, std::int64_t entries) {
  return {graph.rows, graph.sweep(), ReadsAhead::error, {graph, entries}};
}

/// How many entries the row at each place has in the triangle, beside `more`.
template <Ordinal O, Offset Off>
struct EntriesInTriangle {
  Graph<O, Off> graph;
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
