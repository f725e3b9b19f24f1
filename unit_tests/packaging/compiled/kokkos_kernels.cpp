// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle::kk with offsets as a KokkosSparse::CrsMatrix has them by default.
#include <heddle/kokkos_kernels.hpp>

#include "matrix.hpp"

namespace {

struct CrsMatrix {
  struct {
    Kokkos::View<const std::size_t*, Space> row_map;
    Kokkos::View<const int*, Space> entries;
  } graph;
  Kokkos::View<const double*, Space> values;
  int numRows() const { return 2; }
  int numCols() const { return 2; }
};

}  // namespace

bool kokkos_kernels() {
  const Small<std::size_t> small;
  const auto A = small.matrix();
  const CrsMatrix crs{{A.row_ptr(), A.col_idx()}, A.values()};
  using Vector = Kokkos::View<double*, Space>;
  heddle::kk::SPMVHandle<Exec, CrsMatrix, Vector, Vector> handle;
  const Exec exec;
  Kokkos::deep_copy(exec, small.x, 1.0);
  heddle::kk::spmv(exec, &handle, "N", 1.0, crs, small.x, 0.0, small.y);
  heddle::kk::spmv(exec, &handle, "T", 1.0, crs, small.x, 1.0, small.y);
  exec.fence();
  return small.y(0) == 5.0 && small.y(1) == 9.0;
}
