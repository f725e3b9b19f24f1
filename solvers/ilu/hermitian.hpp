// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"

namespace heddle::detail::ilu {

/// What a diagonal entry of a Hermitian matrix is.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool is_real_but_for_rounding(const S& value) {
  if constexpr (is_complex<S>) {
    using Real = heddle::RealOf<S>;
    constexpr Real rounding = 100 * Kokkos::Experimental::epsilon_v<Real>;
    return Kokkos::abs(value.imag()) <= rounding * Kokkos::abs(value.real());
  } else {
    return true;
  }
}

/// The first row whose diagonal entry is not.
template <Scalar S, Ordinal O, Offset Off>
struct FirstImaginary {
  const Off* row_ptr;
  const O* col_idx;
  const S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    S sum(0);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (static_cast<std::int64_t>(col_idx[k]) == i) sum += values[k];
    }
    if (!is_real_but_for_rounding(sum) && i < first) first = i;
  }
};

/// Throws Error, naming that row. Waits for `exec`; of real matrices there is nothing to do.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void check_real_diagonal(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  if constexpr (is_complex<S>) {
    const auto rows = static_cast<std::int64_t>(A.rows());
    std::int64_t first = rows;
    Kokkos::parallel_reduce(
        "heddle::ilu::real_diagonal", range_policy(exec, rows),
        FirstImaginary<S, O, Off>{A.row_ptr().data(), A.col_idx().data(), A.values().data()},
        Kokkos::Min<std::int64_t>(first));
    if (first >= rows) return;
    throw Error("the diagonal entry has an imaginary part, so the matrix is not Hermitian",
                Where{.row = first}, "give a Hermitian matrix, or take an IluPlan");
  }
}

}  // namespace heddle::detail::ilu
