// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../triangle/diagonal_value.hpp"

namespace heddle::detail::ilu {

/// What becomes of pivots, and where the lowest bad row is noted.
template <Scalar S>
struct Pivots {
  using Real = heddle::RealOf<S>;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  Real floor;
  std::int64_t* first_bad;  ///< the lowest row, or none

  KOKKOS_FORCEINLINE_FUNCTION S lifted(const S& pivot) const {
    const Real size = Kokkos::abs(pivot);
    if (!(size < floor)) return pivot;
    return size > Real(0) ? pivot * S(floor / size) : S(floor);
  }
  KOKKOS_FORCEINLINE_FUNCTION void note(std::int64_t row) const {
    backends::atomic_min(first_bad, row);
  }
  /// The pivot of a row of LU.
  KOKKOS_FORCEINLINE_FUNCTION S of_lu(const S& value, std::int64_t row) const {
    const S pivot = lifted(value);
    if (triangle::is_bad_diagonal(pivot)) note(row);
    return pivot;
  }
  /// L's diagonal entry, the square root of a pivot that is positive; of one that is not, a NaN.
  KOKKOS_FORCEINLINE_FUNCTION S of_cholesky(Real value, std::int64_t row) const {
    const Real pivot = value < floor && triangle::is_finite(value) ? floor : value;
    if (!(pivot > Real(0)) || !triangle::is_finite(pivot)) {
      note(row);
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

/// One item, behind a factorization: `bad` from the factors and from what the solves read.
struct WriteBadRow {
  const std::int64_t* first_bad;
  const std::int64_t* bad_diagonal;  ///< of a solve: 0, or the row + 1; null: it reads the factors
  std::int64_t* bad;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    const std::int64_t in_factors = *first_bad != Pivots<double>::none ? *first_bad + 1 : 0;
    const std::int64_t in_solve = bad_diagonal ? *bad_diagonal : 0;
    const bool lower_in_solve = in_solve > 0 && (in_factors == 0 || in_solve < in_factors);
    *bad = lower_in_solve ? in_solve : in_factors;
  }
};

}  // namespace heddle::detail::ilu
