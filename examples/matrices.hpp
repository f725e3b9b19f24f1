// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of the examples, in Kokkos Views.
#pragma once

#include <heddle/matrix.hpp>

namespace example {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;

/// Arrays in compressed rows, owned by the program.
template <class S>
struct Rows {
  int rows;
  Array<int> row_ptr, col_idx;
  Array<S> values;

  /// Borrows the arrays; nothing is copied.
  auto csr() const { return heddle::CsrMatrix(rows, rows, row_ptr, col_idx, values); }
};
using Matrix = Rows<double>;

/// The second difference: 2 on the diagonal and -1 next to it.
template <class S = double>
Rows<S> second_difference(const Exec& exec, int n) {
  const int entries = 3 * n - 2;
  const Rows<S> A{n, Array<int>("example::row_ptr", n + 1), Array<int>("example::col_idx", entries),
                  Array<S>("example::values", entries)};
  Kokkos::parallel_for(
      "example::second_difference", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        int k = i == 0 ? 0 : 3 * i - 1;
        A.row_ptr(i) = k;
        for (int j = i == 0 ? 0 : i - 1; j <= i + 1 && j < n; ++j, ++k) {
          A.col_idx(k) = j;
          A.values(k) = j == i ? S(2) : S(-1);
        }
        if (i == n - 1) A.row_ptr(n) = k;
      });
  exec.fence();
  return A;
}

/// The five-point Laplacian on a grid of side x side points, times `scale`: 4 on the diagonal, -1
/// for each neighbour in the grid. With `lower_only` nothing above the diagonal.
template <class S = double>
Rows<S> laplacian(const Exec& exec, int side, double scale = 1, bool lower_only = false) {
  const int n = side * side;
  const int entries = lower_only ? 3 * n - 2 * side : 5 * n - 4 * side;
  const Rows<S> A{n, Array<int>("example::row_ptr", n + 1), Array<int>("example::col_idx", entries),
                  Array<S>("example::values", entries)};
  // Counts the entries of all rows before i; then each row writes its entries.
  Kokkos::parallel_scan(
      "example::laplacian", Kokkos::RangePolicy<Exec>(exec, 0, n + 1),
      KOKKOS_LAMBDA(int i, int& k, bool last) {
        if (last) A.row_ptr(i) = k;
        if (i == n) return;
        const int steps[5] = {-side, -1, 0, 1, side};
        const bool inside[5] = {i >= side, i % side > 0, true, !lower_only && i % side < side - 1,
                                !lower_only && i < n - side};
        for (int s = 0; s < 5; ++s) {
          if (!inside[s]) continue;
          if (last) A.col_idx(k) = i + steps[s];
          if (last) A.values(k) = S(scale * (s == 2 ? 4 : -1));
          ++k;
        }
      });
  exec.fence();
  return A;
}

/// The largest difference between two arrays.
template <class View>
double largest_difference(const Exec& exec, const View& a, const View& b) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "example::difference", Kokkos::RangePolicy<Exec>(exec, 0, a.extent(0)),
      KOKKOS_LAMBDA(int i, double& most) {
        const double difference = Kokkos::abs(a(i) - b(i));
        most = difference > most ? difference : most;
      },
      Kokkos::Max<double>(largest));
  return largest;
}

}  // namespace example
