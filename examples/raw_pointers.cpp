// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are not Kokkos Views: a matrix and vectors of a program that has pointers. They are
// on the host here; for pointers into a device's memory use the execution and memory space of that
// device.
#include <cstdio>
#include <heddle/spmv.hpp>
#include <vector>

using Exec = Kokkos::DefaultHostExecutionSpace;
using Space = Exec::memory_space;
using Matrix = heddle::CsrMatrix<double, int, int, Space>;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// An object that such a program keeps: it has the plan, which borrows the arrays of the matrix.
class Product {
 public:
  Product(int rows, int columns, const int* row_ptr, const int* col_idx, const double* values)
      : matrix_(rows, columns, row_ptr[rows], row_ptr, col_idx, values), plan_(exec_, matrix_) {}

  /// Computes y = A x, and waits for it.
  void operator()(const double* x, double* y) {
    const Kokkos::View<const double*, Space, Unmanaged> from(x, matrix_.columns());
    const Kokkos::View<double*, Space, Unmanaged> to(y, matrix_.rows());
    plan_.apply(exec_, 1.0, from, 0.0, to);
    exec_.fence();
  }

 private:
  Exec exec_;
  Matrix matrix_;
  heddle::SpmvPlan<Exec, Matrix> plan_;
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  // 1 2 0
  // 0 0 3
  const std::vector<int> row_ptr{0, 2, 3}, col_idx{0, 1, 2};
  const std::vector<double> values{1, 2, 3}, x{1, 10, 100};
  std::vector<double> y(2);

  Product product(2, 3, row_ptr.data(), col_idx.data(), values.data());
  product(x.data(), y.data());
  std::printf("y: %g %g\n", y[0], y[1]);
  return y[0] == 21.0 && y[1] == 300.0 ? 0 : 1;
}
