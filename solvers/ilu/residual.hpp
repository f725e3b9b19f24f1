// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "row.hpp"

namespace heddle::detail::ilu {

/// Sums of squares: of A less the product of its factors, and of A, in the places of the pattern.
struct ResidualSums {
  double rest = 0;
  double all = 0;

  KOKKOS_INLINE_FUNCTION ResidualSums& operator+=(const ResidualSums& other) {
    rest += other.rest;
    all += other.all;
    return *this;
  }
};

template <class View>
struct ResidualOfRow {
  using value_type = ResidualSums;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using S = typename View::scalar_type;
  View factors;
  S* rest;  ///< the values of A at first

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = ResidualSums(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const { sums += other; }
  KOKKOS_FUNCTION double squares(std::int64_t i) const {
    double sum = 0;
    for (Off k = factors.row_ptr[i]; k < factors.row_ptr[i + 1]; ++k) {
      const auto size = static_cast<double>(Kokkos::abs(rest[k]));
      sum += size * size;
    }
    return sum;
  }
};

/// Of L with a diagonal of ones, and U.
template <class View>
struct LuResidual : ResidualOfRow<View> {
  using typename ResidualOfRow<View>::O;
  using typename ResidualOfRow<View>::Off;

  KOKKOS_FUNCTION void operator()(std::int64_t i, ResidualSums& sums) const {
    const View& f = this->factors;
    sums.all += this->squares(i);
    const Off begin = f.row_ptr[i], pivot = f.diagonal[i], stop = f.row_ptr[i + 1];
    for (Off k = begin; k < pivot; ++k) {
      const O t = f.col_idx[k];
      const Off of_t = f.diagonal[t];
      each_common(OneLane(), f.col_idx + begin, static_cast<O>(k - begin),
                  static_cast<O>(stop - begin), f.col_idx + of_t,
                  static_cast<O>(f.row_ptr[t + 1] - of_t),
                  [&](O p, O q) { this->rest[begin + p] -= f.values[k] * f.values[of_t + q]; });
    }
    for (Off k = pivot; k < stop; ++k) this->rest[k] -= f.values[k];
    sums.rest += this->squares(i);
  }
};

/// Of L and its conjugate transpose: the lower triangle.
template <class View>
struct CholeskyResidual : ResidualOfRow<View> {
  using typename ResidualOfRow<View>::O;
  using typename ResidualOfRow<View>::Off;

  KOKKOS_FUNCTION void operator()(std::int64_t i, ResidualSums& sums) const {
    const View& f = this->factors;
    sums.all += this->squares(i);
    const Off begin = f.row_ptr[i], stop = f.row_ptr[i + 1];
    for (Off k = begin; k < stop; ++k) {
      const O t = f.col_idx[k];
      const Off of_t = f.row_ptr[t];
      each_common(OneLane(), f.col_idx + begin, O(0), static_cast<O>(k + 1 - begin),
                  f.col_idx + of_t, static_cast<O>(f.diagonal[t] + 1 - of_t), [&](O p, O q) {
                    this->rest[k] -= f.values[begin + p] * conjugate(f.values[of_t + q]);
                  });
    }
    sums.rest += this->squares(i);
  }
};

}  // namespace heddle::detail::ilu
