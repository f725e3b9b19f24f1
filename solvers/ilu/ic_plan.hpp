// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/version.hpp"
#include "instantiate.hpp"

namespace heddle {

/// The incomplete Cholesky factor of one symmetric matrix (Hermitian where it is complex), IC(k),
/// as a preconditioner: x = (L L^H)^-1 b. Reads the lower triangle of A alone. All else is as with
/// IluPlan, in half the memory.
template <ExecutionSpace Exec, class Matrix, Scalar Kept = typename Matrix::scalar_type>
class IcPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// Inspects A on `exec`, factors it, and waits; what stands above the diagonal is ignored.
  ///
  /// Throws Error as IluPlan does; bad is a pivot that is not positive, or not finite, before its
  /// square root is taken: the matrix is indefinite then, or its factor breaks down. options.shift
  /// lifts every lower pivot that is finite, and options.retries lets the diagonal grow. Throws
  /// Error for a diagonal entry with an imaginary part, of more than 100 units of rounding.
  explicit IcPlan(const Exec& exec, const Matrix& A, const IcOptions& options = {})
      : core_(exec, with_signed_offsets(A), options) {
    HEDDLE_ASSERT_DEFINED(
        detail::is_defined<Core> ||
        (detail::is_compiled<Exec, Signed>() && detail::ilu::keeps_compiled<scalar_type, Kept>));
  }

  /// Factors A, which has the pattern that was inspected: IluPlan::factor.
  void factor(const Exec& exec, const Matrix& A) {
    core_.factor(exec, with_signed_offsets(A));
    version_.renew();
  }

  /// x = (L L^H)^-1 b: IluPlan::apply.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) {
    apply(exec, Op::none, b, x);
  }
  /// x = op(L L^H)^-1 b; every op may be applied.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Op op, const B& b, const X& x) {
    const bool conjugated = op == Op::conjugate || op == Op::transpose;
    const auto L = Triangle::lower;
    core_.solve(exec, L, conjugated ? Op::conjugate : Op::none, b, x);
    core_.solve(exec, L, conjugated ? Op::transpose : Op::conjugate_transpose, x, x);
  }

  /// On the device: 0, or one more than the lowest row whose pivot is not positive, or not finite,
  /// or whose diagonal entry has an imaginary part.
  auto bad_pivot() const { return core_.bad_pivot(); }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_pivots(const Exec& exec) const { core_.check_pivots(exec); }
  /// The Frobenius norm of A - L L^H in the places of the pattern, over that of A there.
  double residual(const Exec& exec, const Matrix& A) const {
    return core_.residual(exec, with_signed_offsets(A));
  }

  /// What solvers ask of a preconditioner.
  static constexpr bool takes_several_vectors = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "an incomplete Cholesky factor"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }

  /// L, columns ascending, in a copy (a CsrStorage). Allocates, waits for `exec`.
  auto factors(const Exec& exec) const { return core_.factors(exec); }
  /// The alpha of A + alpha diag(A), whose factors these are: 0 but for options.retries.
  double diagonal_growth() const { return core_.diagonal_growth(); }
  /// What really runs: the factorization, and a solve with L or, transposed, with L^H.
  const Scheme& scheme() const { return core_.scheme(); }
  const Scheme& sptrsv_scheme(Op op = Op::none) const {
    return core_.sptrsv_scheme(Triangle::lower, op);
  }
  /// What the inspection and the first factorization took, in seconds.
  double setup_seconds() const { return core_.setup_seconds(); }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const { return core_.bytes(); }

 private:
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::FactorsCore<Exec, Signed, Kept, detail::ilu::CholeskyRow>;

  Core core_;
  Version version_;
};

template <ExecutionSpace Exec, class Matrix>
IcPlan(const Exec&, const Matrix&) -> IcPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
IcPlan(const Exec&, const Matrix&, const IcOptions&) -> IcPlan<Exec, Matrix>;

}  // namespace heddle
