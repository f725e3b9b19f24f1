// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix in Kokkos Views, a plan for it, and products: y = alpha*A*x + beta*y.
#include <cstdio>
#include <heddle/spmv.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;

  // The second difference on n points: 2 on the diagonal, -1 next to it.
  const int n = 1000;
  Array<int> row_ptr("example::row_ptr", n + 1);
  Array<int> col_idx("example::col_idx", 3 * n - 2);
  Array<double> values("example::values", 3 * n - 2);
  Kokkos::parallel_for(
      "example::fill", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        int k = i == 0 ? 0 : 3 * i - 1;
        row_ptr(i) = k;
        for (int j = (i == 0 ? 0 : i - 1); j <= i + 1 && j < n; ++j, ++k) {
          col_idx(k) = j;
          values(k) = j == i ? 2.0 : -1.0;
        }
        if (i == n - 1) row_ptr(n) = k;
      });
  exec.fence();

  // Nothing is copied here: A points to the Views, and the plan to A's arrays.
  const heddle::CsrMatrix A(n, n, row_ptr, col_idx, values);
  heddle::SpmvPlan plan(exec, A, {.expected_applies = 1000, .ops = {heddle::Op::transpose}});
  std::printf("scheme %s, inspected in %.2g s\n", plan.scheme().to_string().c_str(),
              plan.setup_seconds());

  Array<double> x("example::x", n), y("example::y", n);
  Kokkos::deep_copy(exec, x, 1.0);
  plan.apply(exec, 1.0, x, 0.0, y);  // y = A*x
  plan.apply(exec, heddle::Op::transpose, 2.0, x, 1.0, y);

  // A*x is zero in the interior and 1 at both ends. A is symmetric, so y is 3*A*x.
  const auto y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  std::printf("y: %g %g ... %g %g\n", y_host(0), y_host(1), y_host(n - 2), y_host(n - 1));
  return y_host(0) == 3.0 && y_host(1) == 0.0 && y_host(n - 1) == 3.0 ? 0 : 1;
}
