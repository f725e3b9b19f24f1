// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spmv_plan.hpp"

/// Sparse matrix times vector (SpMV) or several vectors (SpMM): SpmvPlan for matrices that are
/// applied more than a few times, spmv() for others.
namespace heddle {

/// y = alpha * op(A) * x + beta * y at once, without inspection. No allocation, no wait, no
/// workspace. Throws Error if shapes do not fit, or x and y share an entry; nothing else is
/// checked.
///
/// Only the sizes of the matrix are known, so rows are assumed to be about as long as the mean
/// unless RowLengths::differ is given. Then each team (on a CPU each thread) searches for an equal
/// share of rows plus nonzeros during the apply, on any device, so that a long row delays only its
/// own team. Bitwise reproducible on one device, except for a transposing op, which adds
/// atomically.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView X,
          WritableVectorView Y>
void spmv(const Exec& exec, Op op, typename Y::value_type alpha,
          const CsrMatrix<S, O, Off, Space>& A, const X& x, typename Y::value_type beta, const Y& y,
          RowLengths lengths = RowLengths::alike) {
  using V = typename Y::value_type;
  static_assert(std::same_as<typename X::non_const_value_type, V>, "x and y hold the same type");
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible,
                "the matrix lies in a memory space that the execution space cannot reach");
  using Signed = SignedOffsets<CsrMatrix<S, O, Off, Space>>;
  HEDDLE_ASSERT_DEFINED(detail::is_defined<detail::csr::WithoutPlanKernels<V>> ||
                        detail::is_compiled<Exec, Signed, V>());
  const auto x_vectors = multivector_of<const V>(x);
  const auto y_vectors = multivector_of<V>(y);
  check_vectors(A.rows(), A.columns(), op, x_vectors, y_vectors);
  detail::csr::apply_without_plan<V>(exec, op, alpha, with_signed_offsets(A), x_vectors, beta,
                                     y_vectors, lengths);
}

template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView X,
          WritableVectorView Y>
void spmv(const Exec& exec, typename Y::value_type alpha, const CsrMatrix<S, O, Off, Space>& A,
          const X& x, typename Y::value_type beta, const Y& y,
          RowLengths lengths = RowLengths::alike) {
  spmv(exec, Op::none, alpha, A, x, beta, y, lengths);
}

}  // namespace heddle
