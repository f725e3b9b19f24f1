// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "factor_plan.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// Instances of make_factors in the compiled part (compiled.hpp): for factors that are stored in
/// the matrix's scalar, and, if that is double, in float.
#define HEDDLE_ILU_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, EliminateRow, SCALAR, SCALAR)
#define HEDDLE_IC_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, CholeskyRow, SCALAR, SCALAR)
#define HEDDLE_FACTORS_IN_FLOAT_INSTANCES(EXTERN, SCALAR)                      \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, EliminateRow, SCALAR, \
                    heddle::detail::InFloat<SCALAR>)                           \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, CholeskyRow, SCALAR,  \
                    heddle::detail::InFloat<SCALAR>)
#define HEDDLE_FACTORS_INSTANCES_ON(EXTERN, ROW, SCALAR, STORED, EXEC) \
  HEDDLE_FACTORS_INSTANCE(EXTERN, ROW, SCALAR, STORED, int, EXEC)      \
  HEDDLE_FACTORS_INSTANCE(EXTERN, ROW, SCALAR, STORED, std::int64_t, EXEC)
#define HEDDLE_FACTORS_INSTANCE(EXTERN, ROW, SCALAR, STORED, OFFSET, EXEC)             \
  EXTERN template std::unique_ptr<                                                     \
      heddle::detail::ilu::AnyFactors<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)>>      \
  heddle::detail::ilu::make_factors<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC), STORED, \
                                    heddle::detail::ilu::ROW>(                         \
      const EXEC&, const HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)&, const heddle::IluOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_ILU_INSTANCES, HEDDLE_EXTERN)
HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_IC_INSTANCES, HEDDLE_EXTERN)
HEDDLE_IF_COMPILED_DOUBLE(HEDDLE_FACTORS_IN_FLOAT_INSTANCES(HEDDLE_EXTERN, double))
HEDDLE_IF_COMPILED_CDOUBLE(HEDDLE_FACTORS_IN_FLOAT_INSTANCES(HEDDLE_EXTERN,
                                                             ::Kokkos::complex<double>))

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
/// plan that is empty or moved from throws Error until another is assigned to it. Further members:
/// detail::FactorPlan, and detail::Plan for every plan.
template <ExecutionSpace Exec, class Matrix>
class IluPlan : public detail::FactorPlan<Exec, Matrix, detail::ilu::EliminateRow> {
  using Factors = detail::FactorPlan<Exec, Matrix, detail::ilu::EliminateRow>;

 public:
  /// An empty plan, to be assigned to: every call on it throws Error.
  IluPlan() = default;

  /// Inspects A on `exec`, factors it, and waits. A is square; the columns of a row may be in any
  /// order, and repeated entries add up in the order of the row.
  ///
  /// Throws Error, naming the row, if the row pointer or a column is wrong, if a diagonal entry is
  /// not stored, or if a pivot is zero, infinite or NaN after options.pivot_floor and
  /// options.retries (the lowest such row). Also throws Error if options are out of range, or
  /// options.scheme exists on no backend. Device memory: bytes(). The inspection also needs, with a
  /// fill level, as much again as the pattern, and on a GPU a sort of all products that make fill;
  /// and a sort if columns do not ascend.
  ///
  /// Source: fill is found level by level, each from the rows of lower levels, so that no row waits
  /// for another; D. Hysom and A. Pothen, "A scalable parallel algorithm for incomplete factor
  /// preconditioning", SIAM J. Sci. Comput. 22 (2001), also search row by row.
  explicit IluPlan(const Exec& exec, const Matrix& A, const IluOptions& options = {})
      : Factors(exec, A, options) {}
  /// The constructor on the default instance.
  explicit IluPlan(const Matrix& A, const IluOptions& options = {}) : IluPlan(Exec{}, A, options) {}

  /// For solvers: LU is symmetric if A is, except with ilu/sweeps.
  bool symmetric() const { return this->core("symmetric").exact(); }
  static constexpr const char* name() { return "incomplete LU factors"; }
  /// The scheme of a solve.
  const Scheme& sptrsv_scheme(Triangle triangle, Op op = Op::none) const {
    return this->core("sptrsv_scheme").sptrsv_scheme(triangle, op);
  }
};

template <ExecutionSpace Exec, class Matrix>
IluPlan(const Exec&, const Matrix&, const IluOptions& = {}) -> IluPlan<Exec, Matrix>;
template <class Matrix>
IluPlan(const Matrix&, const IluOptions& = {})
    -> IluPlan<typename Matrix::memory_space::execution_space, Matrix>;

/// The incomplete Cholesky factor of one symmetric matrix (Hermitian if complex), IC(k), as a
/// preconditioner: x = (L L^H)^-1 b. Reads only the lower triangle of A. Everything else is as for
/// IluPlan, in half the memory.
template <ExecutionSpace Exec, class Matrix>
class IcPlan : public detail::FactorPlan<Exec, Matrix, detail::ilu::CholeskyRow> {
  using Factors = detail::FactorPlan<Exec, Matrix, detail::ilu::CholeskyRow>;

 public:
  /// An empty plan, to be assigned to: every call on it throws Error.
  IcPlan() = default;

  /// Inspects A on `exec`, factors it, and waits; entries above the diagonal are ignored.
  ///
  /// Throws Error as IluPlan does. A pivot is bad if it is not positive, or not finite, before its
  /// square root: the matrix is indefinite, or its factorization breaks down. options.pivot_floor
  /// raises every lower pivot that is finite, and options.retries lets the diagonal grow. Throws
  /// Error for a diagonal entry whose imaginary part exceeds 100 units of rounding. bad_row()
  /// reports the lowest such row too.
  explicit IcPlan(const Exec& exec, const Matrix& A, const IcOptions& options = {})
      : Factors(exec, A, options) {}
  /// The constructor on the default instance.
  explicit IcPlan(const Matrix& A, const IcOptions& options = {}) : IcPlan(Exec{}, A, options) {}

  /// For solvers: the preconditioner is symmetric.
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "an incomplete Cholesky factor"; }
  /// The scheme of a solve.
  const Scheme& sptrsv_scheme(Op op = Op::none) const {
    return this->core("sptrsv_scheme").sptrsv_scheme(Triangle::lower, op);
  }
};

template <ExecutionSpace Exec, class Matrix>
IcPlan(const Exec&, const Matrix&, const IcOptions& = {}) -> IcPlan<Exec, Matrix>;
template <class Matrix>
IcPlan(const Matrix&, const IcOptions& = {})
    -> IcPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
