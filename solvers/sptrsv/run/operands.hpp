// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/device.hpp"
#include "../../../core/multivector.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/check_triangle.hpp"
#include "../../triangle/graph.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../../triangle/triangle.hpp"

namespace heddle::detail::sptrsv {

/// Of a complex number the sum of its parts', which bounds rounding as well and takes no root.
template <Scalar T>
KOKKOS_FORCEINLINE_FUNCTION heddle::RealOf<T> magnitude(const T& value) {
  if constexpr (is_complex<T>) {
    return Kokkos::abs(value.real()) + Kokkos::abs(value.imag());
  } else {
    return Kokkos::abs(value);
  }
}

/// What a kernel notes of the steps of a solve, each a row or a group of rows: nothing. Tests and
/// heddle-bench note when each was begun and when it was posted.
struct NoTrace {
  static constexpr bool records = false;
  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t) const {}
  KOKKOS_FORCEINLINE_FUNCTION void end(std::int64_t) const {}
};

/// x = alpha * op(T)^-1 * b, as the places of a triangle compute it.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct Operands {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using vector_type = V;
  using accumulator_type = Acc;

  triangle::View<S, O, Off, triangle::DiagonalOf<S, V>> T;
  bool conjugate;
  Acc alpha;
  Multivector<const V> b;
  Multivector<V> x;

  /// Of an entry of the matrix, or of the diagonal.
  template <Scalar Entry>
  KOKKOS_FORCEINLINE_FUNCTION Acc value(const Entry& entry) const {
    return Acc(conjugate ? heddle::conjugate(entry) : entry);
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc right_hand_side(O row, int vector) const {
    return alpha * Acc(b(row, vector));
  }
  /// What the row of a place is multiplied by at the end; zero where it must be divided.
  KOKKOS_FORCEINLINE_FUNCTION Acc factor(std::int64_t place) const {
    return T.diagonal ? value(T.reciprocal[place]) : Acc(1);
  }
  /// difference / diagonal of a place, whose factor is given.
  KOKKOS_FORCEINLINE_FUNCTION Acc quotient(const Acc& difference, const Acc& factor,
                                           std::int64_t place) const {
    if (factor == Acc(0)) return difference / value(T.diagonal[place]);
    return difference * factor;
  }
};

/// What a plan knows when it asks for an executor. The references live as long as the call.
template <ExecutionSpace Exec, class Matrix>
struct SolveInspection {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Exec& exec;
  const Matrix& T;                ///< as the user gave it
  triangle::Graph<O, Off> graph;  ///< of T, or of its transpose
  const Off* origin;              ///< entry k of the graph is entry origin[k] of T; null: entry k
  const triangle::TriangleSums& sums;
  const Device& device;
  Diagonal diagonal;
  int vectors;                          ///< right-hand sides at once that there is room for
  bool pinned;                          ///< whether the caller asked for the scheme
  const ordered::Levels<Exec>* levels;  ///< where they were looked for
  int threads;  ///< of a CPU, that the caller asked for; 0: those that have a processor each
};

}  // namespace heddle::detail::sptrsv
