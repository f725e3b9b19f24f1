// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "problem.hpp"

namespace heddle::bench {

/// Position of the entry (row, column) in a matrix with ascending columns; -1 if there is none.
template <Scalar S, Offset Off>
Off find_entry(const HostStorage<S, Off>& A, Index row, Index column) {
  const Index* const begin = A.col_idx().data() + A.row_ptr()(row);
  const Index* const end = A.col_idx().data() + A.row_ptr()(row + 1);
  const Index* const found = std::lower_bound(begin, end, column);
  return found == end || *found != column ? Off(-1) : static_cast<Off>(found - A.col_idx().data());
}

/// Whether A is Hermitian. Columns ascend, each once.
template <Scalar S, Offset Off>
bool hermitian(const HostStorage<S, Off>& A) {
  for (Index i = 0; i < A.rows(); ++i) {
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      const Off across = find_entry(A, A.col_idx()(k), i);
      if (across < 0 || A.values()(across) != conjugate(A.values()(k))) return false;
    }
  }
  return true;
}

/// Sets each entry below the diagonal to the conjugate of the one across, if there is one.
template <Scalar S, Offset Off>
void mirror_values(HostStorage<S, Off>& A) {
  for (Index i = 0; i < A.rows(); ++i) {
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1) && A.col_idx()(k) < i; ++k) {
      const Off across = find_entry(A, A.col_idx()(k), i);
      if (across >= 0) A.values()(k) = conjugate(A.values()(across));
    }
  }
}

}  // namespace heddle::bench
