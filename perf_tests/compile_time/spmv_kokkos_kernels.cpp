// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of Kokkos Kernels, with its default type of offsets.
#include <cstddef>
#include <heddle/kokkos_kernels.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Exec::memory_space>;

struct CrsMatrix {
  struct {
    Kokkos::View<const std::size_t*, Exec::memory_space> row_map;
    Kokkos::View<const int*, Exec::memory_space> entries;
  } graph;
  Kokkos::View<const double*, Exec::memory_space> values;
  int numRows() const { return static_cast<int>(graph.row_map.extent(0)) - 1; }
  int numCols() const { return numRows(); }
};

void one_product(const Exec& exec, const CrsMatrix& A, const Vector& x, const Vector& y) {
  heddle::kk::SPMVHandle<Exec, CrsMatrix, Vector, Vector> handle;
  heddle::kk::spmv(exec, &handle, "N", 1.0, A, x, 0.0, y);
}
