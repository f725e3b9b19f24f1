// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instantiate.hpp"

namespace heddle {

/// The incomplete Cholesky factor of one symmetric matrix (Hermitian if complex), IC(k), as a
/// preconditioner: x = (L L^H)^-1 b. Reads only the lower triangle of A. Everything else is as for
/// IluPlan, in half the memory.
template <ExecutionSpace Exec, class Matrix>
class IcPlan : public detail::FactorPlan<Exec, Matrix, detail::ilu::CholeskyRow> {
  using Plan = detail::FactorPlan<Exec, Matrix, detail::ilu::CholeskyRow>;

 public:
  /// An empty plan, to be assigned to: every call on it throws Error.
  IcPlan() = default;

  /// Inspects A on `exec`, factors it, and waits; entries above the diagonal are ignored.
  ///
  /// Throws Error as IluPlan does. A pivot is bad if it is not positive, or not finite, before its
  /// square root is taken: the matrix is indefinite, or its factorization breaks down.
  /// options.pivot_floor raises every lower pivot that is finite, and options.retries lets the
  /// diagonal grow. Throws Error for a diagonal entry whose imaginary part exceeds 100 units of
  /// rounding. bad_row() reports the lowest such row too.
  explicit IcPlan(const Exec& exec, const Matrix& A, const IcOptions& options = {})
      : Plan(exec, with_signed_offsets(A), options) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Plan> ||
                          detail::is_compiled<Exec, SignedOffsets<Matrix>>());
  }
  /// As above, on the default instance; so does every function without `exec`.
  explicit IcPlan(const Matrix& A, const IcOptions& options = {}) : IcPlan(Exec{}, A, options) {}

  /// x = (L L^H)^-1 b: IluPlan::apply.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    apply(exec, Op::none, b, x);
  }
  /// x = op(L L^H)^-1 b; every op may be applied.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Op op, const B& b, const X& x) const {
    const bool conjugated = op == Op::conjugate || op == Op::transpose;
    const auto L = Triangle::lower;
    this->solve(exec, L, conjugated ? Op::conjugate : Op::none, b, x);
    this->solve(exec, L, conjugated ? Op::transpose : Op::conjugate_transpose, x, x);
  }

  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec{}, b, x);
  }
  template <VectorView B, WritableVectorView X>
  void apply(Op op, const B& b, const X& x) const {
    apply(Exec{}, op, b, x);
  }

  /// For solvers: the preconditioner is symmetric.
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "an incomplete Cholesky factor"; }
  /// The scheme of a solve.
  const Scheme& sptrsv_scheme(Op op = Op::none) const {
    return this->factors_of("sptrsv_scheme").sptrsv_scheme(Triangle::lower, op);
  }
};

template <ExecutionSpace Exec, class Matrix>
IcPlan(const Exec&, const Matrix&) -> IcPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
IcPlan(const Exec&, const Matrix&, const IcOptions&) -> IcPlan<Exec, Matrix>;
template <class Matrix>
IcPlan(const Matrix&, const IcOptions& = {})
    -> IcPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
