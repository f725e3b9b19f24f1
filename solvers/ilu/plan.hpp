// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/version.hpp"
#include "instantiate.hpp"

namespace heddle {

/// Incomplete LU factors of one matrix, ILU(k), as a preconditioner: x = (LU)^-1 b with L of ones
/// on its diagonal. The pattern is inspected once, values are factored as often as they change, in
/// the order of the rows: every entry is the sum that the sequential program computes, to rounding,
/// and the same bits on every run.
///
/// Factors are made in the matrix's scalar and kept for the solves in Kept, which may be narrower:
/// with float for double a solve moves fewer bytes. b and x are of the matrix's scalar.
///
/// The plan has a copy of the pattern with ascending columns, and of the values; A may go once it
/// stands, but its pattern must be there for factor(). It belongs to the device of `exec`. One
/// factorization or apply of a plan at a time. Moves, does not copy.
template <ExecutionSpace Exec, class Matrix, Scalar Kept = typename Matrix::scalar_type>
class IluPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// Inspects A on `exec`, factors it, and waits. A is square; columns of a row may be in any
  /// order, and repeated entries add up in the order of the row.
  ///
  /// Throws Error, naming the row: if the row pointer or a column is wrong; for a diagonal entry
  /// that is not stored; for a pivot that is zero, infinite or NaN, after options.shift and
  /// options.retries (the lowest such row). Throws Error too for options out of range, and if
  /// options.scheme does not exist on this device. Device memory: bytes(); while it inspects, with
  /// a fill level, as much again as the pattern, and on a GPU a sort of all products that make
  /// fill; a sort where columns do not ascend.
  ///
  /// Source: levels of fill, one after the other, from the rows of lower ones alone, so that no row
  /// waits for another: as D. Hysom and A. Pothen, "A scalable parallel algorithm for incomplete
  /// factor preconditioning", SIAM J. Sci. Comput. 22 (2001), search for each row by itself.
  explicit IluPlan(const Exec& exec, const Matrix& A, const IluOptions& options = {})
      : core_(exec, with_signed_offsets(A), options) {
    HEDDLE_ASSERT_DEFINED(
        detail::is_defined<Core> ||
        (detail::is_compiled<Exec, Signed>() && detail::ilu::keeps_compiled<scalar_type, Kept>));
  }

  /// Factors A, which has the pattern that was inspected. Ordered on `exec`: no wait, no
  /// allocation. Throws Error if the sizes differ, or the patterns where options.check_pattern
  /// compares them, which waits.
  /// A bad pivot is not an error here: see bad_pivot. With options.retries it waits for `exec`.
  void factor(const Exec& exec, const Matrix& A) {
    core_.factor(exec, with_signed_offsets(A));
    version_.renew();
  }

  /// x = (LU)^-1 b. x is never read, and is b itself or does not overlap it. Rank 1, or rank 2 with
  /// as many vectors as b. Returns once the work is queued on `exec`: no allocation, no copy, no
  /// fence. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) {
    apply(exec, Op::none, b, x);
  }
  /// x = op(LU)^-1 b. Throws Error for one that transposes and is not in options.ops.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Op op, const B& b, const X& x) {
    const Triangle first = transposes(op) ? Triangle::upper : Triangle::lower;
    core_.solve(exec, first, op, b, x);
    core_.solve(exec, detail::triangle::flipped(first), op, x, x);
  }

  /// On the device, in the order of the instance that factored last: 0, or one more than the lowest
  /// row whose pivot is zero, infinite or NaN. An apply gives infinities or NaN then.
  auto bad_pivot() const { return core_.bad_pivot(); }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_pivots(const Exec& exec) const { core_.check_pivots(exec); }
  /// How far the factors are from those that are sought: the Frobenius norm of A - LU in the places
  /// of the pattern, over that of A there. Rounding, but for lifted pivots and for the scheme
  /// ilu/sweeps. Of the matrix that was factored; allocates, waits for `exec`.
  double residual(const Exec& exec, const Matrix& A) const {
    return core_.residual(exec, with_signed_offsets(A));
  }

  /// What solvers ask of a preconditioner. LU is symmetric where A is, but for ilu/sweeps.
  static constexpr bool takes_several_vectors = true;
  bool symmetric() const { return core_.exact(); }
  static constexpr const char* name() { return "incomplete LU factors"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }

  /// L without its diagonal and U in one, columns ascending, in a copy (a CsrStorage). Allocates,
  /// waits for `exec`.
  auto factors(const Exec& exec) const { return core_.factors(exec); }
  /// The alpha of A + alpha diag(A), whose factors these are: 0 but for options.retries.
  double diagonal_growth() const { return core_.diagonal_growth(); }
  /// What really runs: the factorization, and a solve.
  const Scheme& scheme() const { return core_.scheme(); }
  const Scheme& sptrsv_scheme(Triangle triangle, Op op = Op::none) const {
    return core_.sptrsv_scheme(triangle, op);
  }
  /// What the inspection and the first factorization took, in seconds.
  double setup_seconds() const { return core_.setup_seconds(); }
  /// Device memory that the plan holds beyond the matrix, in bytes: the factors, schedules, and,
  /// but on CPUs, copies of the factors in the solves.
  std::size_t bytes() const { return core_.bytes(); }

 private:
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::FactorsCore<Exec, Signed, Kept, detail::ilu::EliminateRow>;

  Core core_;
  Version version_;
};

template <ExecutionSpace Exec, class Matrix>
IluPlan(const Exec&, const Matrix&) -> IluPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
IluPlan(const Exec&, const Matrix&, const IluOptions&) -> IluPlan<Exec, Matrix>;

}  // namespace heddle
