// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pivots.hpp"
#include "updates.hpp"

namespace heddle::detail::ilu {

/// Incomplete factors and what makes their rows, as kernels see it.
template <Scalar S, Ordinal O, Offset Off>
struct Factors {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  const Off* row_ptr;
  const O* col_idx;
  const Off* diagonal;  ///< the place of each row's
  const S* others;      ///< values of the rows that a row needs; mostly `values`
  S* values;
  Pivots<S> pivots;
  Updates updates;
};

/// Row i of LU, by the lanes of a subwarp: the rows t of its lower part are subtracted one after
/// the other, each after wait(t), where the pattern has a place for the result. Every entry is the
/// same sum in the same order, however many lanes there are.
///
/// Source: IKJ variant of Gaussian elimination, Y. Saad, "Iterative methods for sparse linear
/// systems", 2nd edition, algorithm 10.4.
template <class View>
struct EliminateRow {
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using S = typename View::scalar_type;
  View factors;

  /// What lower entry k of row i, in column t, is multiplied with: U's row t after its diagonal.
  template <class Pattern>
  KOKKOS_FORCEINLINE_FUNCTION static CommonPlaces<Off> common(const Pattern& pattern, O i, Off k,
                                                              O t) {
    const Off of_t = pattern.diagonal[t];
    return {k + 1, pattern.row_ptr[i + 1], of_t + 1, pattern.row_ptr[t + 1], pattern.row_ptr[i],
            of_t};
  }

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    S* const values = factors.values;
    const Off pivot = factors.diagonal[i];
    UpdateCursor cursor(factors.updates, static_cast<std::int64_t>(i));
    for (Off k = factors.row_ptr[i]; k < pivot; ++k) {
      const O t = factors.col_idx[k];
      wait(t);
      const Off of_t = factors.diagonal[t];
      S multiplier(0);
      if (lanes.lane() == 0) {
        multiplier = values[k] / factors.others[of_t];
        values[k] = multiplier;
      }
      multiplier = lanes.broadcast(multiplier, 0);
      cursor.each(lanes, factors.col_idx, common(factors, i, k, t),
                  [&](Off p, Off q) { values[p] -= multiplier * factors.others[q]; });
      lanes.sync();
    }
    if (lanes.lane() == 0) {
      values[pivot] = factors.pivots.of_lu(values[pivot], static_cast<std::int64_t>(i));
    }
  }
};

/// Row i of L of an incomplete Cholesky factorization: entry (i, j) less the product of rows i and
/// j before j, over L(j, j).
///
/// Source: the same book, section 10.3.2; up-looking.
template <class View>
struct CholeskyRow {
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using S = typename View::scalar_type;
  using Real = heddle::RealOf<S>;
  View factors;

  /// What entry k of row i, in column t, sums up: what row i and row t have before it.
  template <class Pattern>
  KOKKOS_FORCEINLINE_FUNCTION static CommonPlaces<Off> common(const Pattern& pattern, O i, Off k,
                                                              O t) {
    const Off begin = pattern.row_ptr[i], of_t = pattern.row_ptr[t];
    return {begin, k, of_t, pattern.diagonal[t], begin, of_t};
  }

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    S* const values = factors.values;
    const Off pivot = factors.diagonal[i];
    UpdateCursor cursor(factors.updates, static_cast<std::int64_t>(i));
    Real squares(0);
    for (Off k = factors.row_ptr[i]; k < pivot; ++k) {
      const O t = factors.col_idx[k];
      wait(t);
      const Off of_t = factors.diagonal[t];
      S product(0);
      cursor.each(lanes, factors.col_idx, common(factors, i, k, t),
                  [&](Off p, Off q) { product += values[p] * conjugate(factors.others[q]); });
      product = lanes.sum(product);
      if (lanes.lane() == 0) {
        const S entry = (values[k] - product) / factors.others[of_t];
        values[k] = entry;
        squares += squared(entry);
      }
      lanes.sync();
    }
    if (lanes.lane() == 0) {
      const Real rest = real(values[pivot]) - squares;
      values[pivot] = factors.pivots.of_cholesky(rest, static_cast<std::int64_t>(i));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Real real(const S& value) {
    if constexpr (is_complex<S>) {
      return value.real();
    } else {
      return value;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real squared(const S& value) {
    if constexpr (is_complex<S>) {
      return value.real() * value.real() + value.imag() * value.imag();
    } else {
      return value * value;
    }
  }
};

}  // namespace heddle::detail::ilu
