// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of a Kokkos program without Heddle: a matrix in three Views, and loops over it.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace demo {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;
using Vector = Array<double>;

struct Rows {
  int rows = 0;
  Array<int> row_ptr, col_idx;
  Array<double> values;

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(values.extent(0)); }
  /// Bytes that a product moves at least: the three arrays, x and y, once each.
  double product_bytes() const {
    return 12.0 * static_cast<double>(nonzeros()) + 4.0 * (rows + 1) + 16.0 * rows;
  }
};

inline Vector vector(const Exec& exec, int rows, double value) {
  const Vector x(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "demo::vector"), rows);
  Kokkos::deep_copy(exec, x, value);
  return x;
}

/// y = A x, with one row for each iteration.
void range_product(const Exec& exec, const Rows& A, const Vector& x, const Vector& y);

/// y = A x, with 64 rows for each team, and the entries of a row over vector lanes.
void team_product(const Exec& exec, const Rows& A, const Vector& x, const Vector& y);

}  // namespace demo
