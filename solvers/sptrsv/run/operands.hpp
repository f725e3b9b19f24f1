// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/device.hpp"
#include "../../../core/multivector.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/check_triangle.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../../triangle/triangle.hpp"

namespace heddle::detail::sptrsv {

/// |value|; for a complex number |real| + |imag|, which bounds rounding as well and needs no root.
template <Scalar T>
KOKKOS_FORCEINLINE_FUNCTION heddle::RealOf<T> magnitude(const T& value) {
  if constexpr (is_complex<T>) {
    return Kokkos::abs(value.real()) + Kokkos::abs(value.imag());
  } else {
    return Kokkos::abs(value);
  }
}

/// The trace that records nothing. A step of a solve is a row or a group of rows; the traces of
/// tests and heddle-bench record when each begins and when it is posted.
struct NoTrace {
  static constexpr bool records = false;
  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t) const {}
  KOKKOS_FORCEINLINE_FUNCTION void end(std::int64_t) const {}
};

/// The operands of x = alpha * op(T)^-1 * b, for the places of a triangle.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct SolveOperands {
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

  /// The value of an entry of the matrix or the diagonal, conjugated if the op conjugates.
  template <Scalar Entry>
  KOKKOS_FORCEINLINE_FUNCTION Acc value(const Entry& entry) const {
    return Acc(conjugate ? heddle::conjugate(entry) : entry);
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc right_hand_side(O row, int vector) const {
    return alpha * Acc(b(row, vector));
  }
  /// The reciprocal of the diagonal at a place; 0 if the row must be divided.
  KOKKOS_FORCEINLINE_FUNCTION Acc factor(std::int64_t place) const {
    return T.diagonal ? value(T.reciprocal[place]) : Acc(1);
  }
  /// Returns difference / diagonal of a place, given its factor.
  KOKKOS_FORCEINLINE_FUNCTION Acc quotient(const Acc& difference, const Acc& factor,
                                           std::int64_t place) const {
    if (factor == Acc(0)) return difference / value(T.diagonal[place]);
    return difference * factor;
  }
};

/// The input of an executor's constructor. The references are valid during the call.
template <ExecutionSpace Exec, class Matrix>
struct SolveInspection {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Exec& exec;
  const Matrix& T;                          ///< the user's matrix
  triangle::DependencyGraph<O, Off> graph;  ///< the graph of T or of its transpose
  const Off* origin;  ///< entry k of the graph is entry origin[k] of T; null: entry k
  const triangle::TriangleSums& sums;
  const Device& device;
  Diagonal diagonal;
  int vectors;                          ///< right-hand sides of one pass
  bool pinned;                          ///< whether the caller asked for the scheme
  const ordered::Levels<Exec>* levels;  ///< null if they were not computed
  int threads;  ///< CPU threads that the caller asked for; 0: one for each processor
};

}  // namespace heddle::detail::sptrsv
