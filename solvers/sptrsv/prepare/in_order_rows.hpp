// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/scratch.hpp"
#include "../../../core/multivector.hpp"
#include "../../triangle/graph.hpp"

namespace heddle::detail::sptrsv {

/// T x = alpha * b for a triangle that nobody inspected, as its rows compute it.
template <Scalar S, Ordinal O, Offset Off, Scalar V>
struct InOrderOperands {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using vector_type = V;

  triangle::Graph<O, Off> graph;
  const S* values;
  bool unit;
  bool ignore_outside;
  V alpha;
  Multivector<const V> b;
  Multivector<V> x;

  KOKKOS_FORCEINLINE_FUNCTION bool needs(O row, O column) const {
    return triangle::in_triangle(graph.triangle, row, column);
  }
  /// Whether an entry makes its row a NaN: nobody may be told of one outside of the triangle.
  KOKKOS_FORCEINLINE_FUNCTION bool spoils(O row, O column) const {
    return !ignore_outside && column != row && !needs(row, column);
  }
  KOKKOS_FORCEINLINE_FUNCTION V right_hand_side(O row, int vector) const {
    return alpha * b(row, vector);
  }
  KOKKOS_FORCEINLINE_FUNCTION V quotient(const V& difference, const V& diagonal) const {
    return unit ? difference : difference / diagonal;
  }

  KOKKOS_FORCEINLINE_FUNCTION static V not_a_number() {
    constexpr auto nan = Kokkos::Experimental::quiet_NaN_v<heddle::RealOf<V>>;
    if constexpr (is_complex<V>) {
      return V(nan, nan);
    } else {
      return nan;
    }
  }
};

/// A row and vector on one thread, where what the row needs stands in x already, or does so after
/// wait(place).
template <Triangle triangle, class Operands, class Wait>
KOKKOS_FORCEINLINE_FUNCTION void solve_row(const Operands& operands,
                                           typename Operands::ordinal_type row, int vector,
                                           const Wait& wait) {
  using V = typename Operands::vector_type;
  const auto& graph = operands.graph;
  V diagonal(0);
  V sum(0);
  const auto end = graph.row_ptr[row + 1];
  for (auto k = graph.row_ptr[row]; k < end; ++k) {
    const auto column = graph.col_idx[k];
    if (triangle::in_triangle(triangle, row, column)) {
      wait(triangle == Triangle::lower ? column : graph.rows - 1 - column);
      sum += V(operands.values[k]) * operands.x(column, vector);
    } else if (column == row) {
      diagonal += V(operands.values[k]);
    } else if (!operands.ignore_outside) {
      sum += Operands::not_a_number();
    }
  }
  operands.x(row, vector) =
      operands.quotient(operands.right_hand_side(row, vector) - sum, diagonal);
}

/// Rows [first, stop) of the order, of one vector.
template <class Operands, class Wait>
KOKKOS_FORCEINLINE_FUNCTION void solve_rows(const Operands& operands, std::int64_t first,
                                            std::int64_t stop, int vector, const Wait& wait) {
  using O = typename Operands::ordinal_type;
  if (operands.graph.triangle == Triangle::lower) {
    for (std::int64_t p = first; p < stop; ++p) {
      solve_row<Triangle::lower>(operands, static_cast<O>(p), vector, wait);
    }
  } else {
    for (std::int64_t p = first; p < stop; ++p) {
      solve_row<Triangle::upper>(operands, operands.graph.row(p), vector, wait);
    }
  }
}

/// All rows of a vector by one thread, an item or a team a vector.
template <class Operands>
struct OneThreadKernel {
  using Scratch = backends::NoScratch;

  Operands operands;

  KOKKOS_FUNCTION void operator()(int vector) const {
    solve_rows(operands, 0, operands.graph.rows, vector, [](std::int64_t) {});
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    (*this)(static_cast<int>(team.index()));
  }
};

}  // namespace heddle::detail::sptrsv
