// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/formats/spmv_plan.hpp>

/// Sparse matrix times vector (SpMV) or times several (SpMM): SpmvPlan for matrices applied more
/// than a few times, spmv() for the others.
namespace heddle {

/// y = alpha * op(A) * x + beta * y at once, without inspection: no allocation, no wait, nothing
/// checked but shapes. The lanes a row come from the mean row, so a matrix with rows of very
/// different lengths wants a plan; a transposing op adds atomically and is not reproducible.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView X,
          WritableVectorView Y>
void spmv(const Exec& exec, Op op, typename Y::value_type alpha,
          const CsrMatrix<S, O, Off, Space>& A, const X& x, typename Y::value_type beta,
          const Y& y) {
  using V = typename Y::value_type;
  static_assert(std::same_as<typename X::non_const_value_type, V>, "x and y hold the same type");
  static_assert(Kokkos::SpaceAccessibility<Exec, Space>::accessible,
                "the matrix lies in a memory space that the execution space cannot reach");
  using Kernels = csr::Kernels<Exec, S, O, Off, V, V>;
  const auto x_columns = columns_of<const V>(x);
  const auto y_columns = columns_of<V>(y);
  check_vectors(A.rows(), A.columns(), op, x_columns, y_columns);
  const bool scales_only = alpha == V(0);
  if (scales_only || transposes(op)) scale<V, V>(exec, beta, y_columns);
  if (scales_only) return;
  const auto operands =
      csr::make_operands<V, V>(A, conjugates(op), alpha, x_columns, beta, y_columns);
  if (transposes(op)) {
    Kernels::scatter(exec, operands);
  } else {
    RowFeatures rows;
    rows.rows = A.rows();
    rows.columns = A.columns();
    rows.nonzeros = static_cast<std::int64_t>(A.nonzeros());
    rows.longest_row = std::llround(rows.mean_row());
    const Device device = backends::describe(exec);
    const ExpectedColumns columns{x_columns.count, x_columns.column_stride != 1};
    const auto costs = detail::CsrCosts::of(rows, device, columns);
    Kernels::subwarp(exec, operands, costs.subwarp_lanes(rows, device));
  }
}

template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView X,
          WritableVectorView Y>
void spmv(const Exec& exec, typename Y::value_type alpha, const CsrMatrix<S, O, Off, Space>& A,
          const X& x, typename Y::value_type beta, const Y& y) {
  spmv(exec, Op::none, alpha, A, x, beta, y);
}

}  // namespace heddle
