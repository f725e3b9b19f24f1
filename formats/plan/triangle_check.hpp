// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#include "../inspect/each_entry.hpp"

namespace heddle::detail {

/// Entries below the diagonal, and above.
struct TriangleSums {
  std::int64_t lower = 0;
  std::int64_t upper = 0;

  KOKKOS_FORCEINLINE_FUNCTION TriangleSums& operator+=(const TriangleSums& other) {
    lower += other.lower;
    upper += other.upper;
    return *this;
  }
};

template <Ordinal O>
struct CountSides {
  const O* col_idx;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k,
                                              TriangleSums& sums) const {
    sums.lower += static_cast<std::int64_t>(col_idx[k]) < row;
    sums.upper += static_cast<std::int64_t>(col_idx[k]) > row;
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
  const auto sums = sum_entries<TriangleSums>(
      exec, "heddle::spmv::check_triangle", A.row_ptr().data(), A.rows(),
      static_cast<std::int64_t>(A.nonzeros()), CountSides<O>{A.col_idx().data()});
  if (!checked || sums.lower == 0 || sums.upper == 0) return sums;
  throw Error(what + ", and the matrix has " + std::to_string(sums.lower) +
                  " entries below the diagonal and " + std::to_string(sums.upper) + " above",
              "store one triangle, with the diagonal, or leave options.symmetry");
}

}  // namespace heddle::detail
