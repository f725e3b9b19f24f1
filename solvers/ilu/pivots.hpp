// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../triangle/bad_row.hpp"
#include "../triangle/diagonal_value.hpp"

namespace heddle::detail::ilu {

/// What becomes of pivots, and where the lowest bad row is noted.
template <Scalar S>
struct Pivots {
  using Real = heddle::RealOf<S>;

  Real floor;
  std::int64_t* bad;  ///< mark_bad_row

  KOKKOS_FORCEINLINE_FUNCTION S lifted(const S& pivot) const {
    const Real size = Kokkos::abs(pivot);
    if (!(size < floor)) return pivot;
    return size > Real(0) ? pivot * S(floor / size) : S(floor);
  }
  /// The pivot of a row of LU.
  KOKKOS_FORCEINLINE_FUNCTION S of_lu(const S& value, std::int64_t row) const {
    const S pivot = lifted(value);
    if (triangle::is_bad_diagonal(pivot)) triangle::mark_bad_row(bad, row);
    return pivot;
  }
  /// L's diagonal entry, the square root of a pivot that is positive; of one that is not, a NaN.
  KOKKOS_FORCEINLINE_FUNCTION S of_cholesky(Real value, std::int64_t row) const {
    const Real pivot = value < floor && triangle::is_finite(value) ? floor : value;
    if (!(pivot > Real(0)) || !triangle::is_finite(pivot)) {
      triangle::mark_bad_row(bad, row);
      return S(Kokkos::Experimental::quiet_NaN_v<Real>);
    }
    return S(Kokkos::sqrt(pivot));
  }
};

/// Makes the diagonal of a matrix 1 + alpha times as large, in the values of its factors.
template <Scalar S, Offset Off>
struct GrowDiagonal {
  const Off* diagonal;
  heddle::RealOf<S> factor;
  S* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[diagonal[i]] *= factor; }
};

}  // namespace heddle::detail::ilu
