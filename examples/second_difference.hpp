// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/matrix.hpp>

namespace example {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;

/// Arrays in compressed rows, as a program holds them.
template <class S>
struct Rows {
  int rows;
  Array<int> row_ptr, col_idx;
  Array<S> values;

  /// Borrows the arrays; nothing is copied.
  auto csr() const { return heddle::CsrMatrix(rows, rows, row_ptr, col_idx, values); }
};
using Matrix = Rows<double>;

/// 2 on the diagonal and -1 beside it; with `lower` nothing above the diagonal.
template <class S = double>
Rows<S> second_difference(const Exec& exec, int n, bool lower = false) {
  const int entries = lower ? 2 * n - 1 : 3 * n - 2;
  const Rows<S> A{n, Array<int>("example::row_ptr", n + 1), Array<int>("example::col_idx", entries),
                  Array<S>("example::values", entries)};
  Kokkos::parallel_for(
      "example::second_difference", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        const int width = lower ? 2 : 3;
        int k = i == 0 ? 0 : width * i - 1;
        A.row_ptr(i) = k;
        for (int j = i == 0 ? 0 : i - 1; j <= (lower ? i : i + 1) && j < n; ++j, ++k) {
          A.col_idx(k) = j;
          A.values(k) = j == i ? S(2) : S(-1);
        }
        if (i == n - 1) A.row_ptr(n) = k;
      });
  exec.fence();
  return A;
}

}  // namespace example
