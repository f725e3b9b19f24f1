// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/matrix.hpp"

namespace heddle::detail {

/// Entries below the diagonal, and above.
struct TriangleSums {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};

/// Counts those of a row.
template <Ordinal O, Offset Off>
struct TriangleKernel {
  using value_type = TriangleSums;
  const Off* row_ptr;
  const O* col_idx;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.lower += other.lower;
    sums.upper += other.upper;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, value_type& sums) const {
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      sums.lower += col_idx[k] < row;
      sums.upper += col_idx[k] > row;
    }
  }
};

/// Throws Error unless A can be one triangle of a symmetric or Hermitian matrix, with its diagonal:
/// if it is not square, or, if `checked`, has entries on both sides of the diagonal. One launch and
/// one readback.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
TriangleSums triangle_sums(const Exec& exec, const CsrPattern<O, Off, Space>& A, Symmetry symmetry,
                           bool checked) {
  const std::string what = std::string("options.symmetry is ") + name(symmetry);
  if (A.rows() != A.columns()) {
    throw Error(what + ", and the matrix is " + std::to_string(A.rows()) + " x " +
                    std::to_string(A.columns()),
                "give a square matrix");
  }
  TriangleSums sums;
  Kokkos::parallel_reduce("heddle::spmv::check_triangle", range_policy(exec, A.rows()),
                          TriangleKernel<O, Off>{A.row_ptr().data(), A.col_idx().data()}, sums);
  if (!checked || sums.lower == 0 || sums.upper == 0) return sums;
  throw Error(what + ", and the matrix has " + std::to_string(sums.lower) +
                  " entries below the diagonal and " + std::to_string(sums.upper) + " above",
              "store one triangle, with the diagonal, or leave options.symmetry");
}

}  // namespace heddle::detail
