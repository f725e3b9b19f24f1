// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pivots.hpp"
#include "stored_pattern.hpp"

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
};

/// Where only one lane works at a row: a CPU, and devices whose teams may not wait.
struct OneLane {
  static constexpr int width = 1;
  KOKKOS_FORCEINLINE_FUNCTION int lane() const { return 0; }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T broadcast(const T& value, int) const {
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T sum(const T& value) const {
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {}
};

/// visit(p, q) for every place p in [first, stop) and q in [from, end) of the same column, both
/// ascending: one lane goes along both, several search for what each finds in the second.
template <class Lanes, class O, class Off, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void each_common(const Lanes& lanes, const O* col_idx, Off first,
                                             Off stop, Off from, Off end, const Visit& visit) {
  if constexpr (Lanes::width == 1) {
    Off p = first, q = from;
    while (p < stop && q < end) {
      const O left = col_idx[p], right = col_idx[q];
      if (left == right) visit(p, q);
      p += left <= right ? 1 : 0;
      q += right <= left ? 1 : 0;
    }
  } else {
    for (Off q = from + static_cast<Off>(lanes.lane()); q < end;
         q += static_cast<Off>(Lanes::width)) {
      const Off p = find_column(col_idx, first, stop, col_idx[q]);
      if (p < stop) visit(p, q);
    }
  }
}

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

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    const Off* const row_ptr = factors.row_ptr;
    const O* const col_idx = factors.col_idx;
    S* const values = factors.values;
    const Off pivot = factors.diagonal[i], stop = row_ptr[i + 1];
    for (Off k = row_ptr[i]; k < pivot; ++k) {
      const O t = col_idx[k];
      wait(t);
      const Off of_t = factors.diagonal[t];
      S multiplier(0);
      if (lanes.lane() == 0) {
        multiplier = values[k] / factors.others[of_t];
        values[k] = multiplier;
      }
      multiplier = lanes.broadcast(multiplier, 0);
      each_common(lanes, col_idx, k + 1, stop, of_t + 1, row_ptr[t + 1],
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

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    const Off* const row_ptr = factors.row_ptr;
    S* const values = factors.values;
    const Off begin = row_ptr[i], pivot = factors.diagonal[i];
    Real squares(0);
    for (Off k = begin; k < pivot; ++k) {
      const O t = factors.col_idx[k];
      wait(t);
      const Off of_t = factors.diagonal[t];
      S product(0);
      each_common(lanes, factors.col_idx, begin, k, row_ptr[t], of_t, [&](Off p, Off q) {
        product += values[p] * conjugate(factors.others[q]);
      });
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
