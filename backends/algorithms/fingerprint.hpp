// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../core/hash.hpp"
#include "../../core/matrix.hpp"

namespace heddle::detail {

/// Adds up hashes of all elements of row_ptr and col_idx, in any order.
template <Ordinal O, Offset Off>
struct FingerprintKernel {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  std::int64_t nonzeros;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    const auto place = static_cast<std::uint64_t>(i);
    if (i <= rows) sum += hash_of(~hash_of(place) ^ static_cast<std::uint64_t>(row_ptr[i]));
    if (i < nonzeros) sum += hash_of(hash_of(place) ^ static_cast<std::uint64_t>(col_idx[i]));
  }
};

/// Hash of a pattern. One pass over it and one readback, which waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
std::uint64_t fingerprint(const Exec& exec, const char* label, const CsrPattern<O, Off, Space>& A) {
  const auto rows = std::int64_t{A.rows()}, nonzeros = static_cast<std::int64_t>(A.nonzeros());
  if (A.row_ptr().extent(0) == 0) return 0;
  std::uint64_t bits = 0;
  Kokkos::parallel_reduce(
      label, range_policy(exec, std::max(rows + 1, nonzeros)),
      FingerprintKernel<O, Off>{A.row_ptr().data(), A.col_idx().data(), rows, nonzeros}, bits);
  return bits;
}

}  // namespace heddle::detail
