// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>

#include "../matrix.hpp"

/// For those who hold a matrix of Kokkos Kernels. The only header that needs Kokkos Kernels.
namespace heddle {

/// The same matrix, borrowed without a copy: A's arrays must outlive the result and what is built
/// from it. Ordinals must be signed, as everywhere in Heddle; a const matrix may be given.
template <class S, class O, class Device, class Traits, class Off>
auto csr_matrix(const KokkosSparse::CrsMatrix<S, O, Device, Traits, Off>& A) {
  using Space = typename Device::memory_space;
  using Matrix =
      CsrMatrix<std::remove_const_t<S>, std::remove_const_t<O>, std::remove_const_t<Off>, Space>;
  return Matrix(A.numRows(), A.numCols(), A.graph.row_map, A.graph.entries, A.values);
}

}  // namespace heddle
