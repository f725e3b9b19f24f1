// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spmv_handle.hpp"

namespace heddle::kk {

/// The op of a mode, of which the first letter counts: "N" none, "T" transpose, "C" conjugate (not
/// transposed), "H" conjugate transpose, in capitals or not. Throws Error for any other.
inline Op op_of(const char mode[]) {
  switch (mode[0]) {
    case 'N':
    case 'n': return Op::none;
    case 'T':
    case 't': return Op::transpose;
    case 'C':
    case 'c': return Op::conjugate;
    case 'H':
    case 'h': return Op::conjugate_transpose;
    default: break;
  }
  throw Error("the mode '" + std::string(mode) + "'",
              "give N, T, C (conjugate) or H (conjugate transpose)");
}

/// y = alpha * op(A) * x + beta * y, op by `mode`: see op_of. x and y are both of rank 1, or of
/// rank 2 with equal numbers of vectors, in any layout; alpha and beta are converted to y's value
/// type. beta == 0 overwrites y without reading it; alpha == 0 reads neither A nor x.
///
/// The first call of a handle inspects A: it allocates, and waits for `exec`. If the handle uses a
/// stored transpose, so does the first transposing call, unless SpmvOptions::ops names the op. All
/// other calls are queued on `exec`: no allocation, no copy, no fence. Bitwise reproducible, except
/// for transposing products of a handle without a stored transpose, which add atomically.
///
/// Throws Error if shapes do not fit, for an unknown mode, for an invalid matrix (first call), and
/// for another matrix than that of the first call.
template <ExecutionSpace Exec, class Handle, class Alpha, class AMatrix, VectorView X, class Beta,
          WritableVectorView Y>
  requires is_spmv_handle<Handle>
void spmv(const Exec& exec, Handle* handle, const char mode[], const Alpha& alpha, const AMatrix& A,
          const X& x, const Beta& beta, const Y& y) {
  using V = typename Handle::Vector;
  static_assert(std::same_as<Exec, typename Handle::ExecutionSpaceType>,
                "the handle is of another execution space");
  static_assert(std::same_as<AMatrix, typename Handle::AMatrixType>,
                "the handle is of another type of matrix");
  static_assert(X::rank() == Y::rank(), "x and y have the same rank");
  handle->apply(exec, op_of(mode), static_cast<V>(alpha), csr_matrix(A), x, static_cast<V>(beta),
                y);
}

/// On the default instance of the handle's execution space.
template <class Handle, class Alpha, class AMatrix, VectorView X, class Beta, WritableVectorView Y>
  requires is_spmv_handle<Handle>
void spmv(Handle* handle, const char mode[], const Alpha& alpha, const AMatrix& A, const X& x,
          const Beta& beta, const Y& y) {
  kk::spmv(typename Handle::ExecutionSpaceType(), handle, mode, alpha, A, x, beta, y);
}

/// Without a handle: no inspection, no allocation, no wait, and only shapes are checked. See
/// heddle::spmv.
template <ExecutionSpace Exec, class Alpha, KokkosKernelsMatrix AMatrix, VectorView X, class Beta,
          WritableVectorView Y>
void spmv(const Exec& exec, const char mode[], const Alpha& alpha, const AMatrix& A, const X& x,
          const Beta& beta, const Y& y) {
  using V = typename Y::value_type;
  static_assert(X::rank() == Y::rank(), "x and y have the same rank");
  heddle::spmv(exec, op_of(mode), static_cast<V>(alpha), csr_matrix(A), x, static_cast<V>(beta), y);
}

/// On the default instance of the matrix's execution space.
template <class Alpha, KokkosKernelsMatrix AMatrix, VectorView X, class Beta, WritableVectorView Y>
void spmv(const char mode[], const Alpha& alpha, const AMatrix& A, const X& x, const Beta& beta,
          const Y& y) {
  using Exec = typename detail::KokkosKernelsTypes<AMatrix>::execution_space;
  kk::spmv(Exec(), mode, alpha, A, x, beta, y);
}

}  // namespace heddle::kk
