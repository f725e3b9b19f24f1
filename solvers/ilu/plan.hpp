// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instantiate.hpp"

namespace heddle {

/// Incomplete LU factors of one matrix, ILU(k), as a preconditioner: x = (LU)^-1 b, with ones on
/// L's diagonal. The pattern is inspected once; values are factored whenever they change, in the
/// order of the rows. Every entry is the sum that a sequential factorization computes, up to
/// rounding, and has the same bits on every run.
///
/// Factors are computed in the matrix's scalar, which is also the type of b and x;
/// options.factor_values selects the type that they are stored in.
///
/// The plan copies the pattern with ascending columns, and the values. A may be freed once the plan
/// is made, but its pattern must exist for update_values. The plan belongs to the device of `exec`.
/// A plan runs one factorization or apply at a time. It can be moved, not copied. Every call on a
/// plan that is empty or moved from throws Error until another is assigned to it.
template <ExecutionSpace Exec, class Matrix>
class IluPlan : public detail::FactorPlan<Exec, Matrix, detail::ilu::EliminateRow> {
  using Plan = detail::FactorPlan<Exec, Matrix, detail::ilu::EliminateRow>;

 public:
  /// An empty plan, to be assigned to: every call on it throws Error.
  IluPlan() = default;

  /// Inspects A on `exec`, factors it, and waits. A is square; the columns of a row may be in any
  /// order, and repeated entries add up in the order of the row.
  ///
  /// Throws Error, naming the row, if the row pointer or a column is wrong, if a diagonal entry is
  /// not stored, or if a pivot is zero, infinite or NaN after options.pivot_floor and
  /// options.retries (the lowest such row). Also throws Error if options are out of range, or
  /// options.scheme exists on no backend. Device memory: bytes(). During the inspection also, with
  /// a fill level, as much again as the pattern, and on a GPU a sort of all products that make
  /// fill; and a sort if columns do not ascend.
  ///
  /// Source: levels of fill one after the other, each from the rows of lower levels, so that no row
  /// waits for another; D. Hysom and A. Pothen, "A scalable parallel algorithm for incomplete
  /// factor preconditioning", SIAM J. Sci. Comput. 22 (2001), search row by row in the same way.
  explicit IluPlan(const Exec& exec, const Matrix& A, const IluOptions& options = {})
      : Plan(exec, with_signed_offsets(A), options) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Plan> ||
                          detail::is_compiled<Exec, SignedOffsets<Matrix>>());
  }
  /// As above, on the default instance; so does every function without `exec`.
  explicit IluPlan(const Matrix& A, const IluOptions& options = {}) : IluPlan(Exec{}, A, options) {}

  /// x = (LU)^-1 b. x is not read unless it is b; otherwise it does not overlap b. Both are of rank
  /// 1, or of rank 2 with equal numbers of vectors. Returns once the work is queued on `exec`: no
  /// allocation, no copy, no fence. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    apply(exec, Op::none, b, x);
  }
  /// x = op(LU)^-1 b. Throws Error if the op transposes and is not in options.ops.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Op op, const B& b, const X& x) const {
    const Triangle first = transposes(op) ? Triangle::upper : Triangle::lower;
    this->solve(exec, first, op, b, x);
    this->solve(exec, detail::triangle::flipped(first), op, x, x);
  }

  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec{}, b, x);
  }
  template <VectorView B, WritableVectorView X>
  void apply(Op op, const B& b, const X& x) const {
    apply(Exec{}, op, b, x);
  }

  /// For solvers: LU is symmetric if A is, except with ilu/sweeps.
  bool symmetric() const { return this->factors_of("symmetric").exact(); }
  static constexpr const char* name() { return "incomplete LU factors"; }
  /// The scheme of a solve.
  const Scheme& sptrsv_scheme(Triangle triangle, Op op = Op::none) const {
    return this->factors_of("sptrsv_scheme").sptrsv_scheme(triangle, op);
  }
};

template <ExecutionSpace Exec, class Matrix>
IluPlan(const Exec&, const Matrix&) -> IluPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
IluPlan(const Exec&, const Matrix&, const IluOptions&) -> IluPlan<Exec, Matrix>;
template <class Matrix>
IluPlan(const Matrix&, const IluOptions& = {})
    -> IluPlan<typename Matrix::memory_space::execution_space, Matrix>;

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
