// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/multivector.hpp"

namespace heddle::detail::gauss_seidel {

/// What a half sweep knows of the other side. With T the side that it solves for, R the other one,
/// D the diagonal, and w the relaxation, it sets
///
///     x = (1 - w) x + w D^-1 (b - R x - T x),
///
/// where T x are values of this half sweep, and R x those of before it.
enum class Start {
  /// x was zero: x = w D^-1 (b - T x)
  zero,
  /// x came of a half sweep with R from zero, so w D^-1 (b - R x) is x: x = (2 - w) x - w D^-1 T x
  one_half,
  /// R x is in `kept`
  kept,
  /// R x is added up on the way, which only one thread may do
  rest
};

/// The vectors and numbers of a half sweep.
template <Scalar S>
struct Pass {
  S omega;
  Multivector<const S> b;
  Multivector<S> x;
  /// R x before a half sweep that starts with kept.
  Multivector<S> kept;
  /// Whether it leaves T x there.
  bool keeps;

  KOKKOS_FORCEINLINE_FUNCTION Pass slice(int first, int count) const {
    Pass part = *this;
    part.b = b.slice(first, count);
    part.x = x.slice(first, count);
    part.kept = kept.slice(first, count);
    return part;
  }
  /// What T x is subtracted from, but for R x that is added up on the way.
  template <Start start, class O>
  KOKKOS_FORCEINLINE_FUNCTION S right_hand_side(O row, int vector) const {
    if constexpr (start == Start::one_half) return S(0);
    if constexpr (start == Start::kept) return b(row, vector) - kept(row, vector);
    return b(row, vector);
  }
  /// What is added to the quotient.
  template <Start start, class O>
  KOKKOS_FORCEINLINE_FUNCTION S share_of_old(O row, int vector) const {
    if constexpr (start == Start::zero) return S(0);
    if constexpr (start == Start::one_half) return (S(2) - omega) * x(row, vector);
    // With omega 1 the old value is not read, which may be anything.
    return omega == S(1) ? S(0) : (S(1) - omega) * x(row, vector);
  }
  /// The sum of the two; the next row waits for no addition of zero.
  template <Start start, class O>
  KOKKOS_FORCEINLINE_FUNCTION S with_old(const S& quotient, O row, int vector) const {
    if (start == Start::zero || (start != Start::one_half && omega == S(1))) return quotient;
    return share_of_old<start>(row, vector) + quotient;
  }
};

}  // namespace heddle::detail::gauss_seidel
