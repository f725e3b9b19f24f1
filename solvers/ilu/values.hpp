// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pattern.hpp"

namespace heddle::detail::ilu {

/// The values of A in the places of the pattern, by rows: entries that repeat a place add up in the
/// order of the row, fill is zero.
template <Scalar S, Ordinal O, Offset Off>
struct LoadRows {
  const Off* row_ptr;
  const S* from;
  const Off* place;
  const Off* row_ptr_to;
  S* to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (Off k = row_ptr_to[i]; k < row_ptr_to[i + 1]; ++k) to[k] = S(0);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (place[k] != FindPlaces<O, Off>::nowhere) to[place[k]] += from[k];
    }
  }
};

/// One launch in the order of `exec`.
template <class Exec, class Matrix, class O, class Off>
void load_values(const Exec& exec, const Matrix& A, const FactorPattern<Exec, O, Off>& pattern,
                 typename Matrix::scalar_type* to) {
  using S = typename Matrix::scalar_type;
  if (pattern.place()) {
    Kokkos::parallel_for("heddle::ilu::load", range_policy(exec, pattern.view().rows),
                         LoadRows<S, O, Off>{A.row_ptr().data(), A.values().data(), pattern.place(),
                                             pattern.view().row_ptr, to});
  } else {
    copy(exec, "heddle::ilu::load", to, pattern.view().entries, A.values().data());
  }
}

/// to[k] = from[k], rounded.
template <Scalar To, Scalar From>
struct RoundValues {
  const From* from;
  To* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if constexpr (is_complex<From>) {
      using Real = heddle::RealOf<To>;
      to[k] = To(static_cast<Real>(from[k].real()), static_cast<Real>(from[k].imag()));
    } else {
      to[k] = static_cast<To>(from[k]);
    }
  }
};

}  // namespace heddle::detail::ilu
