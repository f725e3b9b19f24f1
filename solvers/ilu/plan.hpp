// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instantiate.hpp"

namespace heddle {

/// Incomplete LU factors of one matrix, ILU(k), as a preconditioner: x = (LU)^-1 b with L of ones
/// on its diagonal. The pattern is inspected once, values are factored as often as they change, in
/// the order of the rows: every entry is the sum that the sequential program computes, to rounding,
/// and the same bits on every run.
///
/// Factors are made in the matrix's scalar, which b and x are of too; options.factor_values says
/// what they are stored in.
///
/// The plan has a copy of the pattern with ascending columns, and of the values; A may go once it
/// stands, but its pattern must be there for update_values. It belongs to the device of `exec`. One
/// factorization or apply of a plan at a time. Moves, does not copy; whatever is called on a
/// plan that is empty or was moved from throws Error, until another is assigned to it.
template <ExecutionSpace Exec, class Matrix>
class IluPlan : public detail::FactorPlan<Exec, Matrix, detail::ilu::EliminateRow> {
  using Plan = detail::FactorPlan<Exec, Matrix, detail::ilu::EliminateRow>;

 public:
  /// An empty plan, to be assigned to: whatever is called on it throws Error.
  IluPlan() = default;

  /// Inspects A on `exec`, factors it, and waits. A is square; columns of a row may be in any
  /// order, and repeated entries add up in the order of the row.
  ///
  /// Throws Error, naming the row: if the row pointer or a column is wrong; for a diagonal entry
  /// that is not stored; for a pivot that is zero, infinite or NaN, after options.pivot_floor and
  /// options.retries (the lowest such row). Throws Error too for options out of range, and if
  /// options.scheme exists on no backend. Device memory: bytes(); while it inspects, with
  /// a fill level, as much again as the pattern, and on a GPU a sort of all products that make
  /// fill; a sort where columns do not ascend.
  ///
  /// Source: levels of fill, one after the other, from the rows of lower ones alone, so that no row
  /// waits for another: as D. Hysom and A. Pothen, "A scalable parallel algorithm for incomplete
  /// factor preconditioning", SIAM J. Sci. Comput. 22 (2001), search for each row by itself.
  explicit IluPlan(const Exec& exec, const Matrix& A, const IluOptions& options = {})
      : Plan(exec, with_signed_offsets(A), options) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Plan> ||
                          detail::is_compiled<Exec, SignedOffsets<Matrix>>());
  }
  /// On the default instance, as all that is called without one.
  explicit IluPlan(const Matrix& A, const IluOptions& options = {}) : IluPlan(Exec{}, A, options) {}

  /// x = (LU)^-1 b. x is never read, and is b itself or does not overlap it. Rank 1, or rank 2 with
  /// as many vectors as b. Returns once the work is queued on `exec`: no allocation, no copy, no
  /// fence. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    apply(exec, Op::none, b, x);
  }
  /// x = op(LU)^-1 b. Throws Error for one that transposes and is not in options.ops.
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

  /// What solvers ask of a preconditioner. LU is symmetric where A is, but for ilu/sweeps.
  bool symmetric() const { return this->factors_of("symmetric").exact(); }
  static constexpr const char* name() { return "incomplete LU factors"; }
  /// What a solve runs by.
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

}  // namespace heddle
