// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix with the members of Kokkos Kernels' matrix, for tests without Kokkos Kernels.
#pragma once

#include "../../core/matrix.hpp"

namespace heddle::test {

template <Scalar S, Ordinal O, Offset Off, class Space>
struct CrsMatrix {
  struct Graph {
    Kokkos::View<const Off*, Space> row_map;
    Kokkos::View<O*, Space> entries;
  };
  Graph graph;
  Kokkos::View<S*, Space> values;
  O rows = 0, columns = 0;

  O numRows() const { return rows; }
  O numCols() const { return columns; }
};

/// A storage's arrays under the names of Kokkos Kernels; no copy.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
CrsMatrix<S, O, Off, Space> crs_matrix(const CsrStorage<S, O, Off, Space>& storage) {
  return {
      {storage.row_ptr(), storage.col_idx()}, storage.values(), storage.rows(), storage.columns()};
}

}  // namespace heddle::test
