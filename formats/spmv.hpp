// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "csr/without_plan.hpp"
#include "instantiate.hpp"
#include "spmv_plan.hpp"

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
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible,
                "the matrix lies in a memory space that the execution space cannot reach");
  const auto x_vectors = multivector_of<const V>(x);
  const auto y_vectors = multivector_of<V>(y);
  check_vectors(A.rows(), A.columns(), op, x_vectors, y_vectors);
  if (alpha == V(0)) return scale<V, V>(exec, beta, y_vectors);
  detail::csr::apply_without_plan<V>(exec, op, alpha, A, x_vectors, beta, y_vectors);
}

template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView X,
          WritableVectorView Y>
void spmv(const Exec& exec, typename Y::value_type alpha, const CsrMatrix<S, O, Off, Space>& A,
          const X& x, typename Y::value_type beta, const Y& y) {
  spmv(exec, Op::none, alpha, A, x, beta, y);
}

}  // namespace heddle
