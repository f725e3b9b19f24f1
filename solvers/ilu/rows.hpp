// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/execution_check.hpp"
#include "factor_plan.hpp"
#include "hermitian.hpp"
#include "pivots.hpp"
#include "updates.hpp"

namespace heddle::detail::ilu {

/// Row i of LU, by the lanes of a subwarp: the rows t of its lower part are subtracted one after
/// the other, each after wait(t), where the pattern has a place for the result. Every entry is the
/// same sum in the same order, however many lanes there are. View is Factors or SharedFactors.
///
/// Source: IKJ variant of Gaussian elimination, Y. Saad, "Iterative methods for sparse linear
/// systems", 2nd edition, algorithm 10.4.
template <class View>
struct EliminateRow {
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using S = typename View::scalar_type;
  View factors;

  /// visit(p, q) where lower entry k of row i, in column t, is subtracted: entry p of row i has the
  /// column of entry q of U's row t, behind its diagonal.
  HEDDLE_NO_EXECUTION_CHECK
  template <class Lanes, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Lanes& lanes, O i, O k, O t,
                                          const Visit& visit) const {
    factors.each_common(lanes, i, k + 1, factors.size(i), factors.upper(t), visit);
  }

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    S* const row = factors.row(i);
    const auto lower = factors.lower(i);
    UpdateCursor<Lanes> cursor(lanes, factors.updates, static_cast<std::int64_t>(i));
    for (O k = 0; k < lower.size; ++k) {
      const O t = lower.columns[k];
      const S entry = lanes.lane() == 0 ? row[k] : S(0);
      const bool exists = cursor.exists();
      const S before = exists ? row[cursor.in_row()] : S(0);
      wait(t);
      const S* const upper = factors.upper(t).values;
      const S other = exists ? upper[cursor.in_other()] : S(0);
      S multiplier(0);
      if (lanes.lane() == 0) {
        multiplier = entry / factors.pivot(t);
        row[k] = multiplier;
      }
      multiplier = lanes.broadcast(multiplier, 0);
      const auto subtract = [&](auto p, auto q) { row[p] -= multiplier * upper[q]; };
      if (cursor.listed()) {
        if (exists) row[cursor.in_row()] = before - multiplier * other;
        cursor.each_other(subtract);
      } else {
        search(lanes, i, k, t, subtract);
      }
      lanes.sync();
    }
    if (lanes.lane() == 0) {
      row[lower.size] = factors.pivots.of_lu(row[lower.size], static_cast<std::int64_t>(i));
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

  /// visit(p, q) where entry k of row i, in column t, sums up: entry p of row i has the column of
  /// entry q of row t, before both diagonals.
  HEDDLE_NO_EXECUTION_CHECK
  template <class Lanes, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Lanes& lanes, O i, O k, O t,
                                          const Visit& visit) const {
    factors.each_common(lanes, i, O(0), k, factors.lower(t), visit);
  }

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    S* const row = factors.row(i);
    const auto lower = factors.lower(i);
    UpdateCursor<Lanes> cursor(lanes, factors.updates, static_cast<std::int64_t>(i));
    Real squares(0);
    for (O k = 0; k < lower.size; ++k) {
      const O t = lower.columns[k];
      const bool exists = cursor.exists();
      const S mine = exists ? row[cursor.in_row()] : S(0);
      wait(t);
      S product(0);
      const S* const other = factors.lower(t).values;
      const auto add = [&](auto p, auto q) { product += row[p] * conjugate(other[q]); };
      if (cursor.listed()) {
        if (exists) product += mine * conjugate(other[cursor.in_other()]);
        cursor.each_other(add);
      } else {
        search(lanes, i, k, t, add);
      }
      product = lanes.sum(product);
      if (lanes.lane() == 0) {
        const S entry = (row[k] - product) / factors.pivot(t);
        row[k] = entry;
        squares += squared(entry);
      }
      lanes.sync();
    }
    if (lanes.lane() == 0) {
      const S entry = row[lower.size];
      const Real rest = is_real_but_for_rounding(entry) ? real_part(entry) - squares
                                                        : Kokkos::Experimental::quiet_NaN_v<Real>;
      row[lower.size] = factors.pivots.of_cholesky(rest, static_cast<std::int64_t>(i));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Real squared(const S& value) {
    if constexpr (is_complex<S>) {
      return value.real() * value.real() + value.imag() * value.imag();
    } else {
      return value * value;
    }
  }
};

}  // namespace heddle::detail::ilu
