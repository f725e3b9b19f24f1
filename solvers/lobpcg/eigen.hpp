// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rotations.hpp"
#ifdef HEDDLE_LAPACKE
#include <lapacke.h>
#endif

namespace heddle::detail::lobpcg {

#ifdef HEDDLE_LAPACKE
/// By divide and conquer. False where LAPACK says that it failed, or the matrix is not finite.
inline bool eigen_by_lapack(Dense<double>& a, double* values) {
  return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', a.rows, a.entries.data(), a.rows, values) == 0;
}
inline bool eigen_by_lapack(Dense<Kokkos::complex<double>>& a, double* values) {
  return LAPACKE_zheevd(LAPACK_COL_MAJOR, 'V', 'U', a.rows,
                        reinterpret_cast<lapack_complex_double*>(a.entries.data()), a.rows,
                        values) == 0;
}
#endif

/// All eigenpairs of a Hermitian matrix: LAPACK's in programs that link Heddle::lapack, else by
/// rotations.
template <class T>
Eigen<T> eigen(const Dense<T>& a) {
#ifdef HEDDLE_LAPACKE
  Eigen<T> result{std::vector<double>(static_cast<std::size_t>(a.rows)), a};
  if (a.rows == 0 || eigen_by_lapack(result.vectors, result.values.data())) return result;
#endif
  return eigen_by_rotations(a);
}

}  // namespace heddle::detail::lobpcg
